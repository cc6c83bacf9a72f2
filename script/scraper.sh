#!/usr/bin/env bash
# The pages of each claim's URLs as sentences: bash script/scraper.sh dev 0 500 [--keep_pages FOLDER ...]
. "$(dirname "$0")/shard.sh"
claims=()
if [ -e "data/$split.json" ]; then claims=(--claim_file "data/$split.json"); fi
run_step src.retrieval.scraper_for_knowledge_store -i "data_store/${split}_store" \
    -o "data_store/knowledge_store/$split" ${claims[@]+"${claims[@]}"} "$@"
