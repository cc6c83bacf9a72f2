# Sourced by the scripts of this folder, which set split and count: the steps that can be submitted, and their outputs.

fail() {
    echo "error: $1" >&2
    exit 2
}

steps="search scraper bm25 question_generation rerank veracity one_call submission explain refine check_explanations programs \
execute_programs closed_book pipeline"
python=.venv/bin/python
[ -x "$python" ] || python=python3

# Calls FUNCTION with the words of each step of a chain: each_step FUNCTION -- STEP [flags] [-- STEP [flags]]...
each_step() {
    local function=$1 words=() word
    shift 2
    for word in "$@" --; do
        if [ "$word" != -- ]; then
            words+=("$word")
        else
            [ ${#words[@]} -gt 0 ] || fail "there is no step between -- and --"
            "$function" "${words[@]}"
            words=()
        fi
    done
}

check_step() { # STEP [flags...]
    local flag
    [[ " $steps " == *" $1 "* ]] || fail "$1 is no step; the steps are $steps"
    for flag in "${@:2}"; do
        case $flag in
            --shard* | --merge | --dry_run) fail "$1 $flag: submit.sh sets the shards" ;;
            --output_dir) [ "$1" = pipeline ] || fail "$1 $flag: script/$1.sh names the output" ;;
            -o* | --output*) fail "$1 $flag: script/$1.sh names the output; pipeline takes --output_dir FOLDER" ;;
        esac
    done
}

has_model() { # STEP [flags...]
    case $1 in
        scraper | submission) return 1 ;;
        bm25) [[ " $* " == *" --retriever"[\ =]"hybrid "* ]] ;;
        search) [[ " $* " == *" --llm"[\ =]* ]] ;;
        explain) [[ " $* " == *" --method"[\ =]* && " $* " != *" --method"[\ =]"template "* ]] ;;
    esac
}

# Prints the merged files of a step of $split, a line each; none for a step that writes a file for each claim.
outputs() { # STEP [flags...]
    local folder=data_store prefix=${split}_ names=() word previous= methods=
    case $1 in
        bm25) names=(top_k_sentences) ;;
        question_generation) names=(top_k_qa) ;;
        rerank) names=(top_3_rerank_qa) ;;
        veracity | one_call) names=(veracity_prediction) ;;
        submission) names=(veracity_prediction_for_submission) ;;
        explain) names=(explanations) ;;
        refine) names=(debates) ;;
        check_explanations) names=(flags) ;;
        programs) names=(programs) ;;
        execute_programs) names=(program_trace) ;;
        closed_book) folder=data_store/${split}_closed_book prefix='' names=(direct verify zs_cot cot self_ask) ;;
        pipeline)
            names=(top_k_sentences top_k_qa top_3_rerank_qa veracity_prediction veracity_prediction_for_submission)
            case " $* " in *" --published "*) ;; *) names+=(explanations) ;; esac
            ;;
    esac
    for word in "${@:2}"; do
        case $previous in
            --output_dir) folder=$word ;;
            --methods) methods=$word ;;
        esac
        case $word in --methods=*) methods=${word#*=} ;; esac
        previous=$word
    done
    [ -z "$methods" ] || IFS=, read -ra names <<<"$methods"
    for word in ${names[@]+"${names[@]}"}; do echo "$folder/$prefix$word.json"; done
}

# Prints the shards that one of the steps lacks, such as 0,3-5; all of $count with --overwrite, or without an output.
missing_shards() { # -- STEP [flags] [-- STEP [flags]]...
    local files code=0
    mapfile -t files < <(each_step outputs "$@")
    if [ ${#files[@]} -eq 0 ] || [[ " $* " == *" --overwrite "* ]]; then
        echo "0-$((count - 1))"
    else
        "$python" -m src.runner.missing_shards --count "$count" "${files[@]}" || code=$?
        [ $code -le 1 ] || exit $code
    fi
}
