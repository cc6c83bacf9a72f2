#!/usr/bin/env bash
# Draws the pictures of README anew, in script/pictures: the page of a claim, and a report of the quickstart's run.
#   bash script/pictures.sh        needs the quickstart's out/quickstart and Debian's chromium (script/setup.sh --dev)
# Exit code: 0 drawn, 2 something is missing.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

out=out/quickstart pictures=script/pictures
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || { echo "error: no chromium is installed: bash script/setup.sh --dev" >&2; exit 2; }
[ -e $out/sample_veracity_prediction.json ] || { echo "error: $out is not there: bash script/quickstart.sh" >&2; exit 2; }
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT

picture() { # FILE.html NAME WIDTH HEIGHT
    "$browser" --headless --no-sandbox --hide-scrollbars --force-device-scale-factor=1.5 --user-data-dir="$aside/profile" \
        --screenshot="$PWD/$pictures/$2.png" --window-size="$3,$4" "file://$1" 2> "$aside/log" ||
        { cat "$aside/log" >&2; exit 2; }
    echo "$pictures/$2.png"
}

mkdir -p $pictures
bash script/check.sh "The water of Hexley Bay turned red because of a leak at the Varn copper works." --date 25-7-2023 \
    --knowledge_store data_store/sample/knowledge_store/9.json --page "$aside/claim.html" --quiet > "$aside/answer"
picture "$aside/claim.html" claim 1000 900
.venv/bin/python -m src.report.build_report --run quickstart=$out --label_file data_store/sample/claims.json \
    -o "$aside/report" > "$aside/answer"
picture "$aside/report/index.html" report 1000 830
picture "$aside/report/claims.html" claims 1000 640
