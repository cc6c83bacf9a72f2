#!/usr/bin/env bash
# Evidence, verdict and justification of each claim in one call to a language model, from its ranked passages:
#   bash script/bm25.sh dev 0 500 --retriever hybrid --passages --top_k 10
#   bash script/one_call.sh dev 0 500 --llm openai:MODEL
. "$(dirname "$0")/shard.sh"
run_step src.prediction.one_call -i "$(previous top_k_sentences)" -c "data/$split.json" -o "$(shard veracity_prediction)" "$@"
