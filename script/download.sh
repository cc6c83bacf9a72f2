#!/usr/bin/env bash
# Brings the published AVeriTeC files to their places.
#   bash script/download.sh SPLIT [claims|urls|knowledge_store|outputs|checkpoints] [options]     SPLIT: train, dev, test
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
bash script/setup.sh
exec .venv/bin/python -m src.retrieval.download_published "$@"
