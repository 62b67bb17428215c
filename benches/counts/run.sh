#!/usr/bin/env bash
# Instructions per training set of a few small experiments, counted by valgrind's callgrind: unlike
# times, counts hardly depend on what else the machine does.
#
#   benches/counts/run.sh            compares with counts.txt; fails where one is more than 3 % higher
#   benches/counts/run.sh --bless    writes counts.txt anew
#
# Counts depend on the compiler, on the instructions that the processor offers and on its libraries:
# where those are not the ones that counts.txt was made with, nothing is compared.
set -euo pipefail
cd "$(dirname "$0")/../.."
tolerance=3
recorded=benches/counts/counts.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cargo build --release --quiet

# The whole program's instructions for so many training sets.
instructions() {
  # Saving goes by the clock, which runs slowly here.
  BVLAB_SAVE_SECONDS=1000000 \
    valgrind --tool=callgrind --callgrind-out-file="$folder/callgrind" \
    target/release/bvlab run "benches/counts/$1.toml" --resamples "$2" \
    --threads 1 --quiet --out "$folder" >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; exit 1; }
  awk '/^(summary|totals):/ { print $2; exit }' "$folder/callgrind"
}

# What a training set adds: start, tables and the like cancel.
per_training_set() {
  local few=96 many=384
  echo $((($(instructions "$1" $many) - $(instructions "$1" $few)) / (many - few)))
}

made_with() {
  local features
  features=$(grep -om1 -wE 'avx2|fma' /proc/cpuinfo | sort -u | tr '\n' ' ')
  echo "$(rustc --version | cut -d' ' -f1,2), $(valgrind --version)," \
    "glibc $(getconf GNU_LIBC_VERSION | cut -d' ' -f2), $(uname -m) ${features:-without avx2}"
}

here="# $(made_with)"
counts=$(for name in trees space smoothers features; do echo "$name $(per_training_set "$name")"; done)

if [ "${1:-}" = --bless ]; then
  printf '%s\n%s\n' "$here" "$counts" | tee "$recorded"
  exit
fi
if [ "$(head -n 1 "$recorded")" != "$here" ]; then
  echo "not compared: counts.txt was made with other tools or another processor"
  printf '  there %s\n  here  %s\n%s\n' "$(head -n 1 "$recorded")" "$here" "$counts"
  exit
fi
awk -v tolerance="$tolerance" '
  NR == FNR { if ($1 != "#") before[$1] = $2; next }
  {
    if (!($1 in before)) { printf "%-10s %10d instructions per training set, not on record\n", $1, $2; next }
    change = 100 * ($2 / before[$1] - 1)
    printf "%-10s %10d instructions per training set, %+.2f %%\n", $1, $2, change
    if (change > tolerance) worse = 1
  }
  END { exit worse }
' "$recorded" <(echo "$counts")
