#!/usr/bin/env bash
# The module for browsers: whether the committed one was made from these sources, whether it can be
# built from them, and whether both have the native program's numbers, in Node.
#
# With `--committed` nothing is built for WebAssembly.
set -euo pipefail
cd "$(dirname "$0")/../.."
committed=crates/bvlab-lab/src/page/bvlab.wasm.gz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cargo run --quiet --release --locked -p bvlab-digits >"$folder/native.jsonl"

compare() {
  node tests/wasm/digits.mjs "$1" "$folder/native.jsonl"
  node tests/wasm/calls.mjs "$1" "$folder/native.jsonl"
}

node crates/bvlab-wasm/fingerprint.mjs --check "$committed"
size=$(wc -c <"$committed")
echo "the module has $((size / 1000)) kB, packed"
[ "$size" -le 1200000 ]
compare "$committed"
if [ "${1:-}" != --committed ]; then
  .ci/wasm --profile wasm -p bvlab-wasm
  built=${CARGO_TARGET_DIR:-target}/wasm/wasm32-unknown-unknown/wasm/bvlab_wasm.wasm
  node crates/bvlab-wasm/fingerprint.mjs --pack "$built" "$folder/built.wasm.gz"
  # The same compiler gives the same module, whose numbers are known by now.
  if cmp --silent <(gunzip -c "$committed") <(gunzip -c "$folder/built.wasm.gz"); then
    echo "the module built here is the committed one"
  else
    compare "$built"
  fi
fi
