#!/usr/bin/env bash
# The best sentences of each claim: bash script/bm25.sh dev 0 500 [--top_k 100 ...]
. "$(dirname "$0")/shard.sh"
run_step src.reranking.bm25_sentences -k "data_store/knowledge_store/$split" -c "data/$split.json" \
    -o "$(shard top_k_sentences)" "$@"
