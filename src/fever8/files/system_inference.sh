#!/usr/bin/env bash
# From claims and knowledge store to DATA_STORE/@NAME@/submission.csv and SPLIT_veracity_prediction.json. No network.
# Environment: SPLIT (test), DATA_STORE (data_store) with averitec/SPLIT.json, KNOWLEDGE_STORE (knowledge_store).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
unset FAILED_CLAIMS_CODE RAY_ADDRESS HF_HUB_CACHE TRANSFORMERS_CACHE SENTENCE_TRANSFORMERS_HOME
export HF_HOME=$PWD/pretrained_models/hub HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1
split=${SPLIT:-test} data=${DATA_STORE:-data_store}
@PYTHON@ -m src.fever8.infer --split "$split" --claim_file "$data/averitec/$split.json" \
    --reference_corpus "$data/averitec/train.json" --knowledge_store_dir "${KNOWLEDGE_STORE:-knowledge_store}/$split" \
    --output_dir "$data/@NAME@"
