#!/usr/bin/env bash
# From claims to an eval.ai submission, its scores and the reasons of each verdict, all stages in turn:
#   bash script/pipeline.sh SPLIT START END [more flags; --help lists them]
# Stages run from the project's root, where the models are; relative paths are those of the folder where it is called.
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
python=.venv/bin/python
if [ ! -x "$python" ]; then python=python3; fi
"$python" -c "import msgspec" 2> /dev/null || { echo "error: not set up yet: bash script/setup.sh" >&2; exit 2; }
exec "$python" -m src.pipeline --called_from "$here" "$@"
