#!/usr/bin/env bash
# The eval.ai file with the scraped text: bash script/submission.sh dev 0 500 [--jsonl]
. "$(dirname "$0")/shard.sh"
run_step src.prediction.veracity_with_scraped_text -i "$(previous veracity_prediction)" \
    -o "$(shard veracity_prediction_for_submission)" --knowledge_store_dir "data_store/knowledge_store/$split" "$@"
