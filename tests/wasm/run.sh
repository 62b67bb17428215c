#!/usr/bin/env bash
# Compiles all crates that a browser needs for WebAssembly, and compares the digits of shipped
# experiments there, in Node, with those of a native run.
set -euo pipefail
cd "$(dirname "$0")/../.."
.ci/wasm -p bvlab-digits
module=target/wasm/wasm32-unknown-unknown/release/bvlab_digits.wasm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cargo run --quiet --release --locked -p bvlab-digits >"$folder/native.txt"
node tests/wasm/digits.mjs "$module" >"$folder/wasm.txt"
if ! cmp "$folder/native.txt" "$folder/wasm.txt"; then
  diff "$folder/native.txt" "$folder/wasm.txt" | cut -c1-200 | head -20
  exit 1
fi
experiments=$(grep -c '^# [a-z0-9-]*$' "$folder/native.txt")
echo "$experiments experiments have the same tables, messages and figures in WebAssembly"
echo "the module has $(($(wc -c <"$module") / 1000)) kB, $(($(gzip -9c "$module" | wc -c) / 1000)) kB compressed"
[ "$experiments" -ge 30 ]
