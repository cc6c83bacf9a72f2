#!/usr/bin/env bash
# The explanations after a debate of agents: bash script/refine.sh dev 0 500 [--llm SPEC ...]
. "$(dirname "$0")/shard.sh"
run_step src.explanation.refine_explanations -i "$(previous explanations)" -o "$(shard debates)" "$@"
