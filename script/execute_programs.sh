#!/usr/bin/env bash
# The programs run over each claim's knowledge store:
#   bash script/execute_programs.sh dev 0 500 --llm SPEC | --entailment FOLDER [--predictions FILE ...]
. "$(dirname "$0")/shard.sh"
run_step src.programs.execute_programs -i "$(previous programs)" -o "$(shard program_trace)" --setting open \
    -k "data_store/knowledge_store/$split" "$@"
