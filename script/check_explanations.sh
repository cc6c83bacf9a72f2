#!/usr/bin/env bash
# What the explanations say and their evidence does not: bash script/check_explanations.sh dev 0 500 [--tagger none ...]
# Those after a debate: bash script/check_explanations.sh dev 0 500 -i data_store/dev_debates.json
. "$(dirname "$0")/shard.sh"
run_step src.explanation.check_explanations -i "$(previous explanations)" -o "$(shard flags)" "$@"
