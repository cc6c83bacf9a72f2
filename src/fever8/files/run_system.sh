#!/usr/bin/env bash
# Times the two parts of a run, "Data Download" and "Main Execution", in DATA_STORE/@NAME@/measured_timings.txt.
# Scores follow after the timed parts, where the claims have labels.
# Environment: that of system_inference.sh; LABELS (DATA_STORE/averitec/SPLIT.json), claims with labels;
# DATA_IS_HERE=1 leaves out the download.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
unset FAILED_CLAIMS_CODE RAY_ADDRESS HF_HUB_CACHE TRANSFORMERS_CACHE SENTENCE_TRANSFORMERS_HOME
export SPLIT=${SPLIT:-test} DATA_STORE=${DATA_STORE:-data_store}
results=$DATA_STORE/@NAME@
labels=${LABELS:-$DATA_STORE/averitec/$SPLIT.json}
unset LABELS
mkdir -p "$results"
timings=$results/measured_timings.txt
: >"$timings"

now() { # microseconds since 1970
    local LC_ALL=C
    echo "${EPOCHREALTIME/./}"
}

in_seconds() { printf '%d.%03d' $(($1 / 1000000)) $(($1 / 1000 % 1000)); }

timed() { # PART COMMAND...
    local began ended code=0
    began=$(now)
    "${@:2}" || code=$?
    ended=$(now)
    echo "$1: $(in_seconds $((ended - began))) seconds, from $(in_seconds "$began") to $(in_seconds "$ended")" >>"$timings"
    return $code
}

if [ -n "${DATA_IS_HERE:-}" ] || [ ! -e download_data.sh ]; then
    echo "Data Download: none" >>"$timings"
else
    timed "Data Download" bash download_data.sh || exit 2
fi
code=0
timed "Main Execution" bash system_inference.sh || code=$?
cat "$timings"
if [ $code -gt 1 ]; then exit $code; fi # 1: some claims failed, and are in the submission without a result

if grep -qE '"label": *"' "$labels" 2>/dev/null; then
    @PYTHON@ -m src.prediction.evaluate_veracity -i "$results/submission.csv" --label_file "$labels" \
        --allow_missing --json "$results/scores.json" || exit
fi
exit $code
