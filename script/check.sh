#!/usr/bin/env bash
# Checks one claim end to end, with the bundled models:
#   bash script/check.sh "CLAIM" --urls FILE | --knowledge_store FILE | --search PROVIDER [more flags; --help lists them]
# The check runs from the project's root, where the models are; relative paths are those of the folder where it is called.
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
python=.venv/bin/python
if [ ! -x "$python" ]; then python=python3; fi
"$python" -c "import msgspec" 2> /dev/null || { echo "error: not set up yet: bash script/setup.sh" >&2; exit 2; }
exec "$python" -m src.check --called_from "$here" "$@"
