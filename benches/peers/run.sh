#!/usr/bin/env bash
# bvlab against scikit-learn: the same work, one thread each, in one run. Prints a table of ratios.
#
#   benches/peers/run.sh            needs Python 3 with venv, and the network once for scikit-learn
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=target/peers
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet scikit-learn mlxtend
fi
cargo build --release --quiet
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
exec "$venv/bin/python" benches/peers/compare.py target/release/bvlab
