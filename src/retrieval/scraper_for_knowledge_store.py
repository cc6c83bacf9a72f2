"""Step: scrape the web pages of each claim's URLs into sentences, one knowledge-store file a claim.

Reads `<claim_id>.tsv` (claim, type, url, query; no header) and writes `<claim_id>.json`: line k belongs to row k, and
`url2text` is `[]` where the page gave no text. `<claim_id>.log.jsonl` records what happened to each row. Flags and
files are the published ones.
"""

from src.pipeline.collect import CollectSettings, collect_files
from src.runner.step import step


@step(CollectSettings)
def main(settings: CollectSettings) -> int:
    return collect_files(settings)


if __name__ == "__main__":
    raise SystemExit(main())
