#!/usr/bin/env bash
# The scores of claims START..END-1: bash script/evaluate.sh dev 0 500 [--json FILE ...]
. "$(dirname "$0")/shard.sh"
run_step src.prediction.evaluate_veracity -i "$(previous veracity_prediction)" --label_file "data/$split.json" "$@"
