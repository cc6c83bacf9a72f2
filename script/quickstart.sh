#!/usr/bin/env bash
# From a fresh machine to verdicts: sets everything up (once), scrapes the pages of the small world of data_store/sample,
# served on loopback as a web archive would, then runs every step on them, shows what came out, and builds its report.
# Needs Python 3.11 or later and the package registries, nothing else. Each start computes all claims again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash script/setup.sh

sample=data_store/sample out=out/quickstart
code=0

exec 3< <(exec .venv/bin/python -m src.retrieval.serve_pages --pages $sample/pages --urls $sample/urls)
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
read -r archive <&3 || exit 3
began=$SECONDS
.venv/bin/python -m src.retrieval.scraper_for_knowledge_store -i $sample/urls -o $out/knowledge_store \
    --claim_file $sample/claims.json --via "$archive" --allow_private --overwrite || code=$?
[ $code -le 1 ] || exit $code
kill $server
same=0
for file in $sample/knowledge_store/*.json; do
    if cmp -s "$file" "$out/knowledge_store/${file##*/}"; then same=$((same + 1)); fi
done
echo "Scraped in $((SECONDS - began)) s; $same of 12 claims' stores are, byte for byte, the ones in $sample/knowledge_store"
[ $same -eq 12 ] || exit 3

# As a check of one claim does it, but with one question for each passage, not the best of twelve: minutes less
bash script/pipeline.sh sample 0 12 --passages --select stance --verdict stacked --top_k 10 --top_n 5 --overwrite \
    --samples 0 \
    --claim_file $sample/claims.json --knowledge_store_dir $out/knowledge_store \
    --reference_corpus $sample/reference.json --output_dir $out || code=$?
[ $code -le 1 ] || exit $code
.venv/bin/python -m src.report.show_predictions $out/sample_veracity_prediction.json
printf '\nWhy claim 9 has its verdict, with the numbers of its evidence:\n'
.venv/bin/python -m src.explanation.show $out/sample_explanations.json --claim 9
printf '\nTwo of the claims as programs, on recorded answers:\n'
.venv/bin/python -m src.programs.execute_programs -i $sample/programs.jsonl -o $out/sample_program_trace.json \
    --recorded_answers $sample/recorded_answers.jsonl --overwrite --quiet
.venv/bin/python -m src.programs.show $out/sample_program_trace.json
printf '\nClaim 4, put as two clauses, as a program by rules, answered from the knowledge store by the entailment model:\n'
.venv/bin/python -m src.programs.generate_programs --llm none -c $sample/claim_in_clauses.jsonl \
    -o $out/sample_programs_by_rules.json --overwrite --quiet
.venv/bin/python -m src.programs.execute_programs -i $out/sample_programs_by_rules.json -o $out/sample_rules_trace.json \
    --setting open -k $out/knowledge_store --entailment pretrained_models/adapters/entailment --overwrite --quiet
.venv/bin/python -m src.programs.show $out/sample_rules_trace.json
.venv/bin/python -m src.explanation.check_explanations -i $out/sample_explanations.json -o $out/sample_flags.json --quiet
printf '\nThe submission lies in %s; all of it, claim by claim, is to be read in the browser:\n' \
    $out/sample_veracity_prediction_for_submission.json
.venv/bin/python -m src.report.build_report --run quickstart=$out --label_file $sample/claims.json
exit $code
