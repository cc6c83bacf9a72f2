#!/usr/bin/env bash
# Makes the submission folder of FEVER-8 from a strategy:
#   bash script/fever8/make.sh --system_name NAME --strategy questions|one_call|programs --output FOLDER [--zip] -- [flags]
# The flags are those of src.pipeline; with programs, those of generate_programs, --, and those of execute_programs.
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
python=.venv/bin/python
[ -x "$python" ] || python=python3
"$python" -c "import msgspec" 2>/dev/null || { echo "error: not set up yet: bash script/setup.sh" >&2; exit 2; }
exec "$python" -m src.fever8.make_folder --called_from "$here" "$@"
