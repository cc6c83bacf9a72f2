#!/usr/bin/env bash
# Checks one claim end to end, with the bundled models:
#   bash script/check.sh "CLAIM" --urls FILE | --knowledge_store FILE | --search PROVIDER
#        [--date D-M-Y] [--speaker S] [--road questions|programs] [--top_n 5] [--top_k 10] [--json] [--page FILE.html] [--quiet]
#        [--retriever hybrid|bm25|rank_bm25] [--select stance|likeness] [--reranker trained|published|none|CKPT]
#        [--verdict stacked|careful|trained|published|llm|PATH]
#        [--via PREFIX] [--allow_private] [--deadline S] [--exclude_urls F] [--keep_later_pages]
#        [--llm SPEC] [--adapter FOLDER] [--recipe R] [--samples N] [--reference_corpus F] [...]
# FILE has a URL a line (- is standard input), or is a claim's file of a knowledge store.
# Exit code: 0 answered, 2 bad input or no page that could be read, 3 a fault of the program, 130 stopped by Ctrl-C.
set -euo pipefail
shopt -s extglob

# It runs from the project's root, where the models are; what is named here is seen from where the call was made.
absolute() { if [[ $1 = /* || $1 = - ]]; then echo "$1"; else echo "$here/$1"; fi; }
model() { # gguf:FILE and the like, where there is such a file
    local path
    path=$(absolute "${1#*:}")
    if [[ $1 = @(gguf|scripted|hf|file):* ]] && [ -e "$path" ]; then echo "${1%%:*}:$path"; else echo "$1"; fi
}
usage() { cd "$here" && sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }

here=$PWD
[ $# -ge 1 ] || usage
arguments=()
while [ $# -gt 0 ]; do
    if [[ $1 = --*=* ]]; then set -- "${1%%=*}" "${1#*=}" "${@:2}"; fi
    case $1 in
        --urls | --knowledge_store | --page | --exclude_urls | --adapter | --reference_corpus | --cache_dir)
            [ $# -ge 2 ] || usage
            arguments+=("$1" "$(absolute "$2")")
            shift ;;
        --search | --llm | -l)
            [ $# -ge 2 ] || usage
            arguments+=("$1" "$(model "$2")")
            shift ;;
        --reranker | --verdict) # a name, or a checkpoint or folder
            [ $# -ge 2 ] || usage
            if [[ $2 != @(stacked|careful|trained|published|llm|none) && -e $(absolute "$2") ]]; then
                arguments+=("$1" "$(absolute "$2")")
            else
                arguments+=("$1" "$2")
            fi
            shift ;;
        *) arguments+=("$1") ;;
    esac
    shift
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=.venv/bin/python
if [ ! -x "$python" ]; then
    python=python3
    "$python" -c "import msgspec" 2> /dev/null || { echo "error: not set up yet: bash script/setup.sh" >&2; exit 2; }
fi
exec "$python" -m src.check "${arguments[@]}"
