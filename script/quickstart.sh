#!/usr/bin/env bash
# From a fresh machine to verdicts: sets everything up (once), then runs every step on the small world of
# data_store/sample and shows what came out. Needs Python 3.11 or later and the package registries, nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash script/setup.sh

out=out/quickstart
code=0
bash script/pipeline.sh sample 0 12 --top_k 10 --overwrite \
    --claim_file data_store/sample/claims.json --knowledge_store_dir data_store/sample/knowledge_store \
    --reference_corpus data_store/sample/reference.json --output_dir $out || code=$?
[ $code -le 1 ] || exit $code
.venv/bin/python -m src.report.show_predictions $out/sample_veracity_prediction.json
printf '\nThe submission lies in %s\n' $out/sample_veracity_prediction_for_submission.json
exit $code
