#!/usr/bin/env bash
# A program for each claim: bash script/programs.sh dev 0 500 [--llm SPEC ...]
. "$(dirname "$0")/shard.sh"
run_step src.programs.generate_programs -c "data/$split.json" -o "$(shard programs)" "$@"
