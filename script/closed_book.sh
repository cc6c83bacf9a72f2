#!/usr/bin/env bash
# Verdicts of what a model knows, a file for each way to ask, data_store/SPLIT_closed_book/METHOD.START-END.json:
#   bash script/closed_book.sh dev 0 500 [--llm SPEC ...]
. "$(dirname "$0")/shard.sh"
run_step src.programs.closed_book -c "data/$split.json" -o "data_store/${split}_closed_book" "$@"
