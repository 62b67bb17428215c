#!/usr/bin/env bash
# bvlab against scikit-learn and mlxtend: the same work, one thread each, in one run. Prints tables of ratios.
#
#   benches/peers/run.sh            needs Python 3 with venv, and the network once for both
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=target/peers
if ! "$venv/bin/python" -c 'import mlxtend' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet scikit-learn mlxtend
fi
cargo build --release --quiet
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
"$venv/bin/python" benches/peers/compare.py target/release/bvlab
echo
"$venv/bin/python" benches/peers/tables.py target/release/bvlab
