#!/usr/bin/env bash
# Job of one array element, submitted by submit.sh: task.sh N STEP SPLIT START END [flags]
# Failed claims do not stop the steps that follow: the merge reports them, and submit.sh tries them again. They have an
# exit code of their own here, since Python exits with 1, too, where a step cannot be imported.
set -uo pipefail
count=$1 step=$2
shift 2
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-${SLURM_CPUS_PER_TASK:-1}}"
export FAILED_CLAIMS_CODE=5
bash "script/$step.sh" "$@" --shard "$SLURM_ARRAY_TASK_ID/$count"
code=$?
[ $code -eq $FAILED_CLAIMS_CODE ] || exit $code
