#!/usr/bin/env bash
# bvlab against scikit-learn, PyTorch and mlxtend: the same work, one thread each, in one run. Prints
# tables of ratios.
#
#   benches/peers/run.sh            needs Python 3 with venv, and the network once for the peers
#   benches/peers/run.sh --torch    with PyTorch, which takes 5 GB
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=target/peers
if ! "$venv/bin/python" -c 'import mlxtend' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet scikit-learn mlxtend
fi
if [ "${1:-}" = --torch ] && ! "$venv/bin/python" -c 'import torch' 2>/dev/null; then
  "$venv/bin/pip" install --quiet torch
fi
cargo build --release --quiet
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
"$venv/bin/python" benches/peers/compare.py target/release/bvlab
echo
"$venv/bin/python" benches/peers/tables.py target/release/bvlab
echo
"$venv/bin/python" benches/peers/networks.py target/release/bvlab
