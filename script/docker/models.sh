#!/usr/bin/env bash
# Which models an image holds: bash script/docker/models.sh small|careful|none
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
case "${1:-}" in
  small) ;;
  careful) .venv/bin/python -m src.llm.fetch qwen2.5-coder-1.5b --unpack ;;
  none) rm -rf pretrained_models/smollm2 pretrained_models/all-MiniLM-L6-v2 pretrained_models/all-mpnet-base-v2 ;;
  *) echo "models: small, careful or none, not '${1:-}'" >&2; exit 2 ;;
esac
