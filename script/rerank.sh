#!/usr/bin/env bash
# The best question-answer pairs: bash script/rerank.sh dev 0 500 [--top_n 3 ...]
. "$(dirname "$0")/shard.sh"
run_step src.reranking.rerank_questions -i "$(previous top_k_qa)" -o "$(shard top_3_rerank_qa)" "$@"
