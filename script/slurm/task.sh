#!/usr/bin/env bash
# Job of one array element, submitted by submit.sh: task.sh N STEP SPLIT START END [flags]
# Failed claims (exit code 1) do not stop the steps that follow: the merge reports them, and submit.sh tries them again.
set -uo pipefail
count=$1 step=$2
shift 2
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-${SLURM_CPUS_PER_TASK:-1}}"
bash "script/$step.sh" "$@" --shard "$SLURM_ARRAY_TASK_ID/$count"
code=$?
[ $code -eq 1 ] || exit $code
