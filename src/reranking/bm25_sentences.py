"""Step: the best sentences of each claim's knowledge store.

Reads the claims and the knowledge store, writes one line per claim with its `--top_k` sentences, best first.
`--retriever bm25` is the published step, with its flags and defaults except for the output's name, which is the one
that the next step reads. `hybrid` finds better sentences. Indexes and vectors are cached next to the store for later
runs.
"""

from src.pipeline.rank import RankSettings, rank_job
from src.runner.job import run
from src.runner.step import step


@step(RankSettings)
def main(settings: RankSettings) -> int:
    return run(rank_job(settings))


if __name__ == "__main__":
    raise SystemExit(main())
