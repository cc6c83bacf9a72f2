#!/usr/bin/env bash
# A question for each sentence: bash script/question_generation.sh dev 0 500 [--llm SPEC ...]
. "$(dirname "$0")/shard.sh"
run_step src.reranking.question_generation_top_sentences -i "$(previous top_k_sentences)" -o "$(shard top_k_qa)" "$@"
