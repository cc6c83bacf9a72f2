#!/usr/bin/env bash
# Lint, types, import rules, tests in two processes; stops at the first that fails, with its exit code.
#   bash script/test.sh [--all] [pytest arguments...]     --all: tests/slow too; paths are seen from the project's root
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

also=()
if [ "${1-}" = --all ]; then
  shift
  also=(-o "norecursedirs=.* __pycache__")  # pyproject.toml adds "slow" to these
fi
python=.venv/bin/python

bash script/setup.sh --dev
"$python" -m ruff check --quiet
"$python" -m ruff format --check --quiet
"$python" -m mypy
"$python" .venv/bin/lint-imports --no-logo
exec "$python" -m pytest -q -n 2 --dist worksteal ${also[@]+"${also[@]}"} "$@"
