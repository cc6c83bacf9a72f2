#!/usr/bin/env bash
# The best sentences of each claim by BM25, as published: bash script/bm25.sh dev 0 500 [--top_k 100 ...]
# Found by words and vectors, as script/pipeline.sh does: bash script/bm25.sh dev 0 500 --retriever hybrid
. "$(dirname "$0")/shard.sh"
run_step src.reranking.bm25_sentences -k "data_store/knowledge_store/$split" -c "data/$split.json" \
    -o "$(shard top_k_sentences)" "$@"
