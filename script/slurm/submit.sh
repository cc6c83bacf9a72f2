#!/usr/bin/env bash
# Submits steps to SLURM, each as an array of N shards, and a job that merges them:
#   bash script/slurm/submit.sh N SPLIT START END -- STEP [flags] [-- STEP [flags]]...
# STEP is the name of a script: bm25, question_generation, rerank, ..., or pipeline for all stages at once.
# Shard i of a step starts when shard i of the step before it has ended. Started again, only missing shards are submitted.
# Environment: GPUS (of a shard of a step with a model, default 0), CPUS (4), MEMORY (16G), TIME (04:00:00), AT_ONCE (all),
# LOGS (out/slurm); sbatch itself reads SBATCH_PARTITION, SBATCH_ACCOUNT and others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. script/slurm/steps.sh

usage() {
    sed -n '2,4s/^# \{0,1\}//p' script/slurm/submit.sh >&2
    exit 2
}

[ $# -ge 6 ] && [[ $1 =~ ^[1-9][0-9]*$ && $3 =~ ^[0-9]+$ && $4 =~ ^[0-9]+$ && $5 == -- ]] || usage
count=$1 split=$2 range=("$2" "$3" "$4")
shift 4
command -v sbatch >/dev/null || fail "sbatch is not installed here; submit from a login node of the cluster"
"$python" -c "import msgspec" 2>/dev/null || fail "not set up yet: bash script/setup.sh"

job() { # NAME LOG-PATTERN [options of sbatch...] SCRIPT [arguments...]
    sbatch --parsable --job-name "$1" --chdir "$PWD" --output "$logs/$2.log" --kill-on-invalid-dep=yes "${@:3}"
}

submit_step() { # STEP [flags...]: adds the array of one step, after that of the step before it
    local step=$1 options=()
    if [ "${GPUS:-0}" != 0 ] && has_model "$@"; then options+=("--gres=gpu:$GPUS"); fi
    if [ -n "$before" ]; then options+=("--dependency=aftercorr:$before"); fi
    before=$(job "$step" %x-%A_%a --array "$missing${AT_ONCE:+%$AT_ONCE}" --cpus-per-task "${CPUS:-4}" \
        --mem "${MEMORY:-16G}" --time "${TIME:-04:00:00}" ${options[@]+"${options[@]}"} \
        script/slurm/task.sh "$count" "$step" "${range[@]}" "${@:2}")
    before=${before%%;*}
    echo "$step: job $before, shards $missing of $count"
}

submit_merge() { # [options of sbatch...]: adds the job that merges the shards of all steps
    local merge
    merge=$(job merge %x-%j --mem "${MEMORY:-16G}" --time 01:00:00 "$@" script/slurm/merge.sh "${range[@]}" "${chain[@]}")
    echo "merge: job ${merge%%;*}; logs in $logs"
}

chain=("$@") logs=${LOGS:-out/slurm} before=
each_step check_step "${chain[@]}"
missing=$(missing_shards "${chain[@]}")
mkdir -p "$logs"
if [ -z "$missing" ]; then
    echo "no shard of $count is missing"
    submit_merge
else
    each_step submit_step "${chain[@]}"
    submit_merge --dependency "afterok:$before"
fi
