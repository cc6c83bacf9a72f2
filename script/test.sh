#!/usr/bin/env bash
# Lint, types, import rules, tests in two processes; stops at the first that fails, with its exit code.
#   bash script/test.sh [--quick|--all] [pytest arguments...]     paths are seen from the project's root
#     --quick: without the tests that are marked as long      --all: tests/slow too
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

also=()
case "${1-}" in
  --quick) shift && also=(-m "not long") ;;
  --all) shift && also=(-o "norecursedirs=.* __pycache__") ;;  # pyproject.toml adds "slow" to these
esac
python=.venv/bin/python

bash script/setup.sh --dev
"$python" -m ruff check --quiet
"$python" -m ruff format --check --quiet
"$python" -m mypy
"$python" .venv/bin/lint-imports --no-logo
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"  # two processes of two threads each are too many for two cores
unset PYTHONDONTWRITEBYTECODE  # with it, each process that a test starts would compile src anew
exec "$python" -m pytest -q -n 2 --dist worksteal ${also[@]+"${also[@]}"} "$@"
