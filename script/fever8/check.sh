#!/usr/bin/env bash
# Checks a submission folder of FEVER-8 against the rules of the task, with a trial run without network:
#   bash script/fever8/check.sh FOLDER [--trial N] [--json FILE] [more flags; --help lists them]
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
python=.venv/bin/python
[ -x "$python" ] || python=python3
"$python" -c "import msgspec" 2>/dev/null || { echo "error: not set up yet: bash script/setup.sh" >&2; exit 2; }
exec "$python" -m src.fever8.check_folder --called_from "$here" "$@"
