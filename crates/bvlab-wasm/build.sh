#!/usr/bin/env bash
# Builds the module that computes in browsers, and puts it into the page: packed, and with a fingerprint
# of the sources that it was made from. Commit it once per landing, not per change.
set -euo pipefail
cd "$(dirname "$0")/../.."
.ci/wasm --profile wasm -p bvlab-wasm
node crates/bvlab-wasm/fingerprint.mjs --pack \
  target/wasm/wasm32-unknown-unknown/wasm/bvlab_wasm.wasm crates/bvlab-lab/src/page/bvlab.wasm.gz
