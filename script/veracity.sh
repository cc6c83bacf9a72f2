#!/usr/bin/env bash
# The verdicts: bash script/veracity.sh dev 0 500 [--llm SPEC ...]
. "$(dirname "$0")/shard.sh"
run_step src.prediction.veracity_prediction -i "$(previous top_3_rerank_qa)" -o "$(shard veracity_prediction)" "$@"
