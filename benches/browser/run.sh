#!/usr/bin/env bash
# What the lab in a browser costs: one worker against one thread, two workers against one, and how long
# a page keeps its reader waiting. Prints tables.
#
#   benches/browser/run.sh          needs Node.js, Chromium and Firefox, and the network once
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -d tests/browser/node_modules/puppeteer-core ] || (cd tests/browser && npm ci --no-audit --no-fund --silent)
cargo build --release --locked --quiet
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
program=${CARGO_TARGET_DIR:-target}/release/bvlab
"$program" run tree-tradeoff --page --quiet --out "$folder"
"$program" site "$folder/site" --only tree-tradeoff --quiet
node benches/browser/times.mjs "$folder/tree-tradeoff/page.html" "$folder/site"
echo
node benches/browser/speed.mjs "$program" "$folder/site" chrome
echo
node benches/browser/speed.mjs "$program" "$folder/site" firefox
