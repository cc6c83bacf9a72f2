#!/usr/bin/env bash
# From claims to an eval.ai submission, its scores and the reasons of each verdict, every step in turn:
#   bash script/pipeline.sh SPLIT START END [--published] [--claim_file F] [--knowledge_store_dir D] [--reference_corpus F]
#        [--output_dir O] [--llm SPEC] [--top_k 100] [--top_n 3] [--no_scores] [--overwrite] [--dry_run]
#        [--retriever hybrid|bm25|rank_bm25] [--encoder SPEC] [--hyde] [--vectors float16|int8]
#        [--exclude_urls F] [--keep_fact_check] [--keep_later_pages] [--index_dir DIR | --no_index] [--workers N]
#        [--recipe R] [--adapter FOLDER] [--samples N] [--passages] [--select likeness|stance]
#        [--reranker trained|published|none|CKPT] [--verdict stacked|careful|trained|published|llm|PATH]
#        [--dtype T] [--device D] [--batch_rows N] [--batch_tokens N] [--slots N] [--concurrency N] [--timeout S]
# --published runs the published baseline in every step: BM25, questions by bigscience/bloom-7b1 (or --llm) from 10 examples,
#   the published checkpoints of reranker and verdicts, no explanations. What is missing is said before any work; flags that
#   choose something else are refused, but for --llm, --top_k, --top_n and a published checkpoint in another place.
# --retriever bm25 finds the sentences as published; --hyde lets the language model help hybrid retrieval.
# --reranker and --verdict take a name, a published .ckpt or a trained folder, --verdict a stacker's, too; --verdict llm: --llm judges.
# Those of a check of one claim: --passages --select stance --verdict stacked --top_k 10 --top_n 5.
# All results go to --output_dir (default: data_store) under the split's name; for parts that are merged, use the step scripts.
# Started again after an interruption, it goes on where it was. Exit code: 0 done, 1 some claims failed, 2 bad input.
set -uo pipefail
shopt -s extglob

# Steps run from the project's root, where the models are; what is named here is seen from where the call was made.
absolute() { if [[ $1 = /* ]]; then echo "$1"; else echo "$here/$1"; fi; }
model() {
    local path
    path=$(absolute "${1#*:}")
    if [[ $1 = @(gguf|scripted|hf):* ]] && [ -e "$path" ]; then echo "${1%%:*}:$path"; else echo "$1"; fi
}
encoder() { if [ -e "$(absolute "$1")" ]; then absolute "$1"; else echo "$1"; fi; }
names() { "$python" -c "from $1 import $2 as table; print(*table)"; } # MODULE TABLE
place() { "$python" -c "from $1 import $2 as table; print(table['$3'] or '.')"; } # MODULE TABLE NAME: where its files are
is_named() { [[ " $2 " = *" $1 "* ]]; } # NAME NAMES
wrong() { echo "error: $1" >&2; exit 2; }
listed() { local all; all=$(printf '%s; ' "$@") && echo "${all%; }"; }
usage() { cd "$here" && sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2; }

here=$PWD
[ $# -ge 3 ] && [[ $2 =~ ^[0-9]+$ && $3 =~ ^[0-9]+$ ]] || usage
split=$1 start=$2 end=$3
shift 3
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
root=$PWD
python=$root/.venv/bin/python
[ -x "$python" ] || python=python3
export PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH}
claims=$root/data/$split.json store=$root/data_store/knowledge_store/$split reference=$root/data/train.json
out=$root/data_store llm= judge=() judging= reader=() ranker= ranking=() select= justify=() verdict= top_k=100 top_n=3 scores=yes dry_run=no
flags=() how=() scale=() asking=() retriever= retrieval=() hyde=no published=no recipe=
while [ $# -gt 0 ]; do
    case $1 in
        --dry_run) dry_run=yes ;;
        --published) published=yes ;;
        --overwrite | --quiet) flags+=("$1") ;;
        --no_scores) scores=no ;;
        --hyde) hyde=yes ;;
        --no_index | --keep_fact_check | --keep_later_pages | --passages) retrieval+=("$1") ;;
        --dtype | --device | --batch_rows | --batch_tokens | --slots | --concurrency | --timeout | \
            --claim_file | --knowledge_store_dir | --reference_corpus | --output_dir | --llm | --top_k | --top_n | \
            --recipe | --adapter | --samples | --reranker | --verdict | --select | --retriever | --encoder | --vectors | --index_dir | --exclude_urls | --workers)
            [ $# -ge 2 ] || usage
            case $1 in
                --claim_file) claims=$(absolute "$2") ;;
                --knowledge_store_dir) store=$(absolute "$2") ;;
                --reference_corpus) reference=$(absolute "$2") ;;
                --output_dir) out=$(absolute "$2") ;;
                --llm) llm=$(model "$2") ;;
                --top_k) top_k=$2 ;;
                --top_n) top_n=$2 ;;
                --dtype | --device) how+=("$1" "$2") ;;
                --batch_rows | --batch_tokens | --slots | --concurrency | --timeout) scale+=("$1" "$2") ;;
                --recipe) recipe=$2 ;;
                --samples) asking+=("$1" "$2") ;;
                --reranker) ranker=$2 ;;
                --verdict) verdict=$2 ;;
                --select) select=$2 ;;
                --adapter) asking+=("$1" "$(absolute "$2")") ;;
                --retriever) retriever=$2 ;;
                --index_dir | --exclude_urls) retrieval+=("$1" "$(absolute "$2")") ;;
                --vectors | --workers) retrieval+=("$1" "$2") ;;
                --encoder) retrieval+=(--encoder "$(encoder "$2")") ;;
            esac
            shift ;;
        *) echo "unknown: $1" >&2; usage ;;
    esac
    shift
done

# The published mode: every step as the baseline's, and nothing begins while one of its files or models is missing.
refuse_other_choices() {
    local against=() flag
    [[ $retriever = @(|bm25|rank_bm25) ]] || against+=("--retriever $retriever")
    [[ $recipe = @(|published) ]] || against+=("--recipe $recipe")
    [[ $select = @(|likeness) ]] || against+=("--select $select")
    is_published "$ranker" || against+=("--reranker $ranker")
    is_published "$verdict" || against+=("--verdict $verdict")
    [ $hyde = no ] || against+=(--hyde)
    for flag in "${retrieval[@]}" "${asking[@]}"; do
        [[ $flag != --* || $flag = @(--index_dir|--no_index|--workers) ]] || against+=("$flag")
    done
    [ ${#against[@]} = 0 ] || wrong "--published does not go with $(listed "${against[@]}"): it takes BM25, questions from 10 examples and the published checkpoints"
}
is_published() { # NAME_OR_PATH: none, the published name, or a path that holds no model trained here
    [[ $1 = @(|published) ]] || { [ -e "$(absolute "$1")" ] && ! [ -e "$(absolute "$1")/training.json" ] && ! [ -e "$(absolute "$1")/stacker.json" ]; }
}
need() { # FILE PLACE WHAT: FILE must be there; download.sh brings WHAT to PLACE
    local remedy=
    [ "$1" != "$2" ] || [[ $3 != @(train|dev|test)\ * ]] || remedy=" (bash script/download.sh $3)"
    [ -e "$1" ] || lacking+=("${1#"$root/"} is not there$remedy")
}
need_checkpoint() { # NAME_OR_PATH MODULE TABLE: published, or a path whose file must have the form of a checkpoint
    local at reason
    at=$(absolute "$1")
    if [ "$1" = published ]; then
        at=$(place "$2" "$3" published) || exit 2
        need "$at" "$at" "dev checkpoints"
    fi
    [ -e "$at" ] || return 0
    reason=$("$python" -c "import sys; from src.models.bert import lacking; print(lacking(sys.argv[1]))" "$at") || exit 2
    [ -z "$reason" ] || lacking+=("$reason")
}
refuse_missing() {
    local lacking=() model
    need "$claims" "$root/data/$split.json" "$split claims"
    local usual=$root/data_store/knowledge_store/$split
    { [ "$store" = "$usual" ] && [ -e "data_store/output_$split" ]; } || need "$store" "$usual" "$split knowledge_store"
    need "$reference" "$root/data/train.json" "train claims"
    need_checkpoint "$ranker" src.models.reranker RERANKERS
    need_checkpoint "$verdict" src.prediction.verdicts VERDICT_MODELS
    model=$("$python" -c "import sys; from src.llm.presence import lacking; print(lacking(sys.argv[1]))" "$llm") || exit 2
    [ -z "$model" ] || lacking+=("$model")
    [ ${#lacking[@]} = 0 ] || wrong "--published: $(listed "${lacking[@]}")"
}
if [ $published = yes ]; then
    refuse_other_choices
    retriever=${retriever:-bm25} llm=${llm:-bigscience/bloom-7b1} ranker=${ranker:-published} verdict=${verdict:-published}
    recipe=published asking=(--published_examples)
    refuse_missing
fi
retriever=${retriever:-hybrid} select=${select:-likeness} llm=${llm:-smollm2}
[ -z "$recipe" ] || asking+=(--recipe "$recipe")
[ $hyde = no ] || retrieval+=(--hyde --llm "$llm" "${how[@]}" "${scale[@]}")
[ "$split" = test ] && scores=no # its labels are not published
# A trained verdict model, where one stands, judges whatever model wrote the questions.
if [ -z "$verdict" ] && ! [ -e pretrained_models/bert_veracity.ckpt ] && ! [ -e pretrained_models/adapters/veracity/training.json ]; then
    echo "note: pretrained_models/adapters/veracity is not whole or not there, so that a language model judges: $llm"
    verdict=llm
fi
# Names and paths are checked here, before hours of questions.
if [ "$verdict" = llm ]; then
    judge=(--llm "$llm" "${scale[@]}")
elif [ -n "$verdict" ]; then
    known=$(names src.prediction.verdicts VERDICT_MODELS) || exit 2
    if is_named "$verdict" "$known"; then
        judging=$(place src.prediction.verdicts VERDICT_MODELS "$verdict")
        [ -e "$judging" ] || wrong "--verdict $verdict: $judging is not there"
    else
        judging=$(absolute "$verdict")
        [ -e "$judging" ] || wrong "--verdict $verdict: no such checkpoint or folder, and none of the names $known llm"
        verdict=$judging
    fi
    judge=(--verdict "$verdict")
fi
# A reason is stated where the reader of stances finds that it holds, a stacker's own where it has one.
! [ -e "$judging/reader/training.json" ] || reader=(--entailment "$judging/reader")
if [ $published = yes ]; then
    justify=() # the published pipeline explains nothing
elif [ "$verdict" = llm ]; then
    justify=(--method reasoning "${how[@]}") # its own words
elif [ -e "$judging/stacker.json" ] || [ -e pretrained_models/adapters/reader/training.json ]; then
    justify=(--method stance "${reader[@]}" "${how[@]}")
else
    echo "note: pretrained_models/adapters/reader is not whole or not there, so that justifications are copied by a template"
fi
if [ -n "$ranker" ] && [ "$ranker" != none ]; then
    known=$(names src.models.reranker RERANKERS) || exit 2
    if is_named "$ranker" "$known"; then
        at=$(place src.models.reranker RERANKERS "$ranker")
        [ -e "$at" ] || wrong "--reranker $ranker: $at is not there"
    else
        [ -e "$(absolute "$ranker")" ] || wrong "--reranker $ranker: no such checkpoint or folder, and none of the names $known"
        ranker=$(absolute "$ranker")
    fi
fi
if [ "$select" != likeness ]; then
    known=$(names src.reranking.select Select) || exit 2
    is_named "$select" "$known" || wrong "--select $select: not one of $known"
    [ -z "$ranker" ] || wrong "--reranker changes nothing with --select $select: it goes with likeness"
fi
if [ "$retriever" != hybrid ]; then
    known=$(names src.reranking.retrievers RETRIEVERS) || exit 2
    is_named "$retriever" "$known" || wrong "--retriever $retriever: not one of $known"
fi

# The cosine, which ranks where no model stands, has neither number format nor device.
[ -e pretrained_models/bert_dual_encoder.ckpt ] || [ -e pretrained_models/adapters/reranker/training.json ] || ranker=${ranker:-none}
[ -z "$ranker" ] || ranking=(--reranker "$ranker")
[ "$ranker" = none ] || ranking+=("${how[@]}")
[ "$select" = likeness ] || ranking=(--select "$select" "${reader[@]}" "${how[@]}")

worst=0
seconds=()

step() { # NAME MODULE ARGUMENTS...: one step; remembers its seconds, ends the pipeline on bad input
    local name=$1 began=$EPOCHREALTIME code=0
    shift
    "$python" -m "$@" "${range[@]}" || code=$?
    seconds+=("$(since "$began" "$name")")
    [ $code -le 1 ] || exit $code
    [ $code -le $worst ] || worst=$code
}

since() { LC_ALL=C awk -v a="${1/,/.}" -v b="${EPOCHREALTIME/,/.}" -v n="$2" 'BEGIN { printf "%-12s %6.1f s", n, b - a }'; }

file() { echo "$out/${split}_$1.json"; }

sentences() { # MORE FLAGS...
    step sentences src.reranking.bm25_sentences -k "$store" -c "$claims" -o "$(file top_k_sentences)" --top_k "$top_k" "$@"
}

range=(-s "$start" -e "$end")
if [ $dry_run = yes ]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
    sentences --retriever "$retriever" "${retrieval[@]}" "${flags[@]}" --dry_run
    sentences --retriever bm25 --no_index --quiet # quick, and as many: the questions are counted on them
    flags+=(--dry_run)
else
    sentences --retriever "$retriever" "${retrieval[@]}" "${flags[@]}"
fi
step questions src.reranking.question_generation_top_sentences -i "$(file top_k_sentences)" -o "$(file top_k_qa)" \
    --reference_corpus "$reference" --top_k "$top_k" --llm "$llm" "${asking[@]}" "${how[@]}" "${scale[@]}" "${flags[@]}"
if [ $dry_run = yes ]; then
    [ "$verdict" != llm ] || echo "verdicts: one prompt a claim"
    echo "the other steps take seconds to minutes"
    exit $worst
fi
step reranking src.reranking.rerank_questions -i "$(file top_k_qa)" -o "$(file top_3_rerank_qa)" \
    --top_n "$top_n" "${ranking[@]}" "${flags[@]}"
step verdicts src.prediction.veracity_prediction -i "$(file top_3_rerank_qa)" \
    -o "$(file veracity_prediction)" "${judge[@]}" "${how[@]}" "${flags[@]}"
step submission src.prediction.veracity_with_scraped_text \
    -i "$(file veracity_prediction)" -o "$(file veracity_prediction_for_submission)" --knowledge_store_dir "$store" \
    "${flags[@]}"
step validation src.prediction.validate_submission "$(file veracity_prediction_for_submission)" --label_file "$claims"
if [ $scores = yes ]; then
    step scores src.prediction.evaluate_veracity -i "$(file veracity_prediction)" --label_file "$claims" \
        --json "$(file scores)"
fi
if [ $published = no ]; then
    step explanations src.explanation.generate_explanations -i "$(file veracity_prediction)" \
        -o "$(file explanations)" --predictions "$(file justified_prediction)" "${justify[@]}" "${flags[@]}"
fi

printf '\nSeconds of each step, start-up included:\n'
printf '  %s\n' "${seconds[@]}"
echo "Submission: $(file veracity_prediction_for_submission)"
[ $published = yes ] || echo "With justifications: $(file justified_prediction)"
exit $worst
