#!/usr/bin/env bash
# Makes .venv, fills it, and brings the data and the three small models that the pipeline runs on.
#   bash script/setup.sh [--dev] [--ray]     --dev: the tools of script/test.sh too, and a browser for the page it tests
#                                            --ray: Ray too, for runs on several machines
# A second call sees that nothing changed and returns at once. PYTHON names the interpreter to build on.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

parts=(requirements.txt) dev=
for flag in "$@"; do
  case "$flag" in
    --dev) parts+=(requirements-dev.txt requirements-ray.txt) dev=1 ;;
    --ray) parts+=(requirements-ray.txt) ;;
    *) echo "setup: unknown argument $flag (there are --dev and --ray)" >&2; exit 2 ;;
  esac
done
python=.venv/bin/python

say() { printf 'setup: %s (%d s)\n' "$1" "$SECONDS"; }
fail() { printf 'setup: %s\n' "$1" >&2; exit 2; }

# Each requirements file has a stamp: what its last complete set-up was made from, word for word.
stamp() { printf '.venv/.setup-%s' "$1"; }
recipe() { cat "$1" constraints.txt script/setup.sh src/nltk_data/*.py src/llm/weights.py; }

is_complete() {
  local part
  for part in "${parts[@]}"; do
    recipe "$part" | cmp -s - "$(stamp "$part")" || return 1
  done
  [ -d .venv/nltk_data ] && [ -d pretrained_models/smollm2 ] && [ -d pretrained_models/all-MiniLM-L6-v2 ] &&
    [ -d pretrained_models/all-mpnet-base-v2 ] && "$python" -c '' 2>/dev/null
}

find_python() {
  local name
  for name in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s' "$name"
      return
    fi
  done
  fail "needs Python 3.11 or later, found none; install one, or name it: PYTHON=/path/to/python3 bash script/setup.sh"
}

make_venv() {
  local base version
  base=$(find_python)
  version=$("$base" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  "$base" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "Python $version lacks its venv module; on Debian and Ubuntu: sudo apt-get install python$version-venv"
  say "making .venv with Python $version"
  "$base" -m venv --clear .venv
}

install_packages() {
  local part files=() quiet=(-qq)
  if [ -t 1 ]; then quiet=(); fi
  for part in "${parts[@]}"; do files+=(-r "$part"); done
  say "installing packages (minutes when they must be downloaded)"
  "$python" -m pip install ${quiet[@]+"${quiet[@]}"} --no-input --disable-pip-version-check -c constraints.txt "${files[@]}"
}

# A browser comes from the system; without one its test is skipped, and fails in continuous integration.
bring_chromium() {
  local name lacking="no chromium: the test of the page for ratings will be skipped (CI=true: will fail)"
  for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then return; fi
  done
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "$lacking; on Debian: sudo apt-get install chromium"
  else
    say "chromium, by apt-get"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
      </dev/null >/dev/null || say "$lacking; apt-get could not bring it"
  fi
}

if [ -n "$dev" ]; then bring_chromium; fi
if is_complete; then exit 0; fi
# Two set-ups at once would fill the same folder; the second waits, then finds it done.
if command -v flock >/dev/null; then
  exec 9<script/setup.sh
  flock 9
  if is_complete; then exit 0; fi
fi
"$python" -m pip --version >/dev/null 2>&1 || make_venv
install_packages
say "NLTK data"
"$python" -m src.nltk_data
say "models"
"$python" -m src.llm.fetch smollm2
"$python" -m src.llm.fetch minilm
"$python" -m src.llm.fetch mpnet
for part in "${parts[@]}"; do
  recipe "$part" >"$(stamp "$part").new"
  mv "$(stamp "$part").new" "$(stamp "$part")"
done
say "done"
