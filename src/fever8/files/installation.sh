#!/usr/bin/env bash
# Installs packages and models. This is the last part that needs a network.
# Needs Python 3.11 or later with its venv module; PYTHON names the interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
unset FAILED_CLAIMS_CODE RAY_ADDRESS HF_HUB_CACHE TRANSFORMERS_CACHE SENTENCE_TRANSFORMERS_HOME
export HF_HOME=$PWD/pretrained_models/hub
bash script/setup.sh@SETUP@
@PYTHON@ -m src.fever8.fetch_models
