#!/usr/bin/env bash
# The reasons of each verdict: bash script/explain.sh dev 0 500 [--method stance ...]
. "$(dirname "$0")/shard.sh"
run_step src.explanation.generate_explanations -i "$(previous veracity_prediction)" -o "$(shard explanations)" "$@"
