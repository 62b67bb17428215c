#!/usr/bin/env bash
# The memory that is promised, measured with GNU time: a two-way sweep of 100 × 100 values at 1000 test
# points runs, goes through shards, and is drawn again within 1 GB; 10⁶ resamples take no more than 10 %
# more than 10³. Takes about ten minutes on two cores, and 5 GB of disk.
#
#     tests/memory/run.sh [PROGRAM]      default: target/release/bvlab
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(realpath "${1:-target/release/bvlab}")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

cat >large.toml <<'TOML'
[problem]
truth  = "sin(x)"
inputs = { uniform = [0, 15] }
noise  = { normal = 0.5 }
train  = 100

[sweep]
k     = "1..100"
noise = { from = 0, to = 1, count = 100 }

[[learner]]
knn = {}

[run]
resamples = 1000
test = { grid = 1000 }

[[figure]]
heatmap = {}
[[figure]]
fits = { values = [1, 10] }
TOML

# Runs the program, prints its peak in MB and remembers it.
peak() {
  /usr/bin/time -o time -f '%M %e' "$program" "$@" --quiet
  read -r kilobytes seconds <time
  megabytes=$((kilobytes / 1000))
  echo "$megabytes MB, $seconds s: bvlab $*"
}
within() {
  if ((megabytes > $1)); then
    echo "FAILED: more than $1 MB" >&2
    exit 1
  fi
}

peak run large.toml
within 1000
peak draw results/large
within 1000
for shard in 1/2 2/2; do
  peak run large.toml --out shared --resamples 100 --shard $shard
  within 1000
done
peak merge shared/large/shard-* --out merged
within 1000
rm -rf shared
peak run tree-tradeoff --resamples 1000
few=$megabytes
peak run tree-tradeoff --resamples 1000000
within $((few * 11 / 10))
echo "all within limits"
