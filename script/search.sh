#!/usr/bin/env bash
# The URLs of each claim from a search engine: bash script/search.sh dev 0 500 --provider brave [--pages 3 ...]
. "$(dirname "$0")/shard.sh"
run_step src.retrieval.search --claim_file "data/$split.json" -o "data_store/${split}_store" "$@"
