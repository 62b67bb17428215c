#!/usr/bin/env bash
# `bvlab submit --slurm` on a real Slurm: one node on this machine, in a temporary folder, without
# accounting. The merged tables must be those of a plain run, byte for byte.
#
#     tests/slurm/run.sh [PROGRAM]      default: target/release/bvlab
#
# Installs Debian's slurm-wlm and munge where they are missing, which needs root. Nothing outside the
# folder is touched otherwise, and nothing keeps running.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(realpath "${1:-target/release/bvlab}")

if ! command -v slurmctld slurmd munged sbatch >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge
fi

place=$(mktemp -d)
chmod 755 "$place"
cd "$place"
started=()
finish() {
  status=$?
  trap - EXIT
  # slurmd and its steps last: they hang on to the others.
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  for process in "${started[@]}"; do wait "$process" 2>/dev/null || true; done
  if ((status)); then
    echo "FAILED; the logs:" >&2
    tail -n 20 "$place"/*.log "$place"/results/*/slurm/*.log >&2 2>/dev/null || true
  fi
  rm -rf "$place"
  exit $status
}
trap finish EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])' 2>/dev/null || echo $((20000 + RANDOM % 20000)); }
user=$(id -un)
host=$(hostname -s)
mkdir state spool
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$place/munge.socket
CredType=cred/munge
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=short Nodes=$host Default=YES MaxTime=10 State=UP
CONF
export SLURM_CONF=$place/slurm.conf

dd if=/dev/urandom of=munge.key bs=128 count=1 status=none
chmod 600 munge.key
munged --foreground --force --key-file="$place/munge.key" --socket="$place/munge.socket" \
  --pid-file="$place/munge.pid" --log-file="$place/munged.log" --seed-file="$place/munge.seed" &>munged.out.log &
started+=($!)
until [ -S munge.socket ]; do
  sleep 0.1
  kill -0 "${started[0]}"
done
slurmctld -D -c &>slurmctld.log &
started+=($!)
slurmd -D -N "$host" &>slurmd.log &
started+=($!)
for _ in $(seq 300); do
  if sinfo -h -o %t 2>/dev/null | grep -q '^idle$'; then break; fi
  sleep 0.1
done
sinfo -h -o %t | grep -q '^idle$'
echo "Slurm is up after $SECONDS s"

# Waits until no job is left in the queue.
empty_queue() {
  for _ in $(seq 600); do
    if [ -z "$(squeue -h 2>/dev/null || echo unknown)" ]; then return 0; fi
    sleep 0.2
  done
  squeue
  return 1
}

same() {
  for file in curves.csv curves.parquet points.parquet training.parquet fits.parquet runs.parquet; do
    cmp "$1/$file" "$2/$file"
  done
}

run="tree-tradeoff --resamples 3007 --seed 5"
"$program" run $run --out plain --quiet
"$program" submit --slurm $run --shards 4 --sbatch '--partition=short --time=5'
empty_queue
same plain/tree-tradeoff results/tree-tradeoff
test -s results/tree-tradeoff/tradeoff.png
echo "4 shards and their merging gave the tables of a plain run, after $SECONDS s"

# A name that a shell would take apart; more threads; one job only. A file that changes after it was
# submitted does not matter.
name="it's 100% mine"
"$program" list --show knn-tradeoff >"$name.toml"
"$program" run "$name.toml" --resamples 300 --out plain --quiet
"$program" submit --slurm "$name.toml" --resamples 300 --shards 1 --threads "$(nproc)" --sbatch --begin=now+2
echo nonsense >"$name.toml"
empty_queue
same "plain/$name" "results/$name"
echo "so did one with an awkward name, after $SECONDS s"

# Shards that fail: nothing is merged, nothing waits for ever, and the same command once more mends it.
"$program" list --show knn-tradeoff >broken.toml
"$program" run broken.toml --resamples 300 --out plain --quiet
mkdir -p results/broken
echo "in the way" >results/broken/shard-2-of-2
"$program" submit --slurm broken.toml --resamples 300 --shards 2
empty_queue
test ! -e results/broken/curves.csv
grep -q "is not a folder" results/broken/slurm/shard-2.log
rm results/broken/shard-2-of-2
"$program" submit --slurm broken.toml --resamples 300 --shards 2
empty_queue
same plain/broken results/broken
echo "a failed shard was mended by the same command, after $SECONDS s"
