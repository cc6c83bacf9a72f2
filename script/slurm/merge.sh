#!/usr/bin/env bash
# Job that merges the shards of all steps, submitted by submit.sh: merge.sh SPLIT START END -- STEP [flags] [-- STEP...]...
set -uo pipefail
split=$1 start=$2 end=$3 worst=0
shift 3
. script/slurm/steps.sh

merge_step() { # STEP [flags...]
    local files options=() code=0
    if [ "$1" = pipeline ]; then
        bash script/pipeline.sh "$split" "$start" "$end" "${@:2}" --merge || code=$?
    else
        mapfile -t files < <(outputs "$@")
        [[ " $* " != *" --overwrite "* ]] || options=(--overwrite)
        [ ${#files[@]} -eq 0 ] || "$python" -m src.runner.merge "${files[@]}" -s "$start" -e "$end" \
            ${options[@]+"${options[@]}"} || code=$?
    fi
    if [ "$code" -gt "$worst" ]; then worst=$code; fi
}

each_step merge_step "$@"
exit "$worst"
