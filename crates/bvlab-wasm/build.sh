#!/usr/bin/env bash
# Builds the module that computes in browsers, and puts it into the page: packed, and with a fingerprint
# of the sources that it was made from. Commit it with a merge, not with every change.
#
#   crates/bvlab-wasm/build.sh            writes the module of the page
#   crates/bvlab-wasm/build.sh FILE       writes it elsewhere, to try it
#
# .ci/wasm finds a compiler.
set -euo pipefail
out=$(realpath -m "${1:-$(dirname "$0")/../bvlab-lab/src/page/bvlab.wasm.gz}")
cd "$(dirname "$0")/../.."
.ci/wasm --profile wasm -p bvlab-wasm
node crates/bvlab-wasm/fingerprint.mjs --pack \
  "${CARGO_TARGET_DIR:-target}/wasm/wasm32-unknown-unknown/wasm/bvlab_wasm.wasm" "$out"
