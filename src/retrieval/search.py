"""Step: search the web for each claim, and write the URLs to one file a claim, in the published format.

Reads the claims, asks a provider, and writes `<claim_id>.tsv` for the scraper. Columns: claim, type of query, URL,
query; no header. The country and the last day that a page may be from are the claim's. API keys come from the
environment.
"""

from src.pipeline.search import SearchSettings, search_claims
from src.runner.step import step


@step(SearchSettings)
def main(settings: SearchSettings) -> int:
    return search_claims(settings)


if __name__ == "__main__":
    raise SystemExit(main())
