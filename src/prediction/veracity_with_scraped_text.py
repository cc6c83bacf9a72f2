"""Step: add the text of its page to each piece of evidence; the result is the submission file.

Reads the predictions and the knowledge store; every claim of the input stays in the output. If a page was scraped more
than once, its last non-empty text is used. Evidence without a page in the store gets an empty text.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec

from src.knowledge_store import KnowledgeStore
from src.records import Document, Prediction
from src.runner.arguments import add_range, existing_file, in_range, step, step_parser
from src.runner.job import Engine, Job, run
from src.runner.outcome import Outcome
from src.store import read_by_claim

MODULE = "src.prediction.veracity_with_scraped_text"


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-i", "--veracity_prediction_file", type=Path,
                       default=Path("data_store/dev_veracity_prediction.json"))  # fmt: skip
    flags.add_argument("-o", "--output_file", dest="output",
                       default="data_store/dev_veracity_prediction_for_submission.json")  # fmt: skip
    flags.add_argument("--knowledge_store_dir", type=Path, default=Path("data_store/knowledge_store/dev"),
                       help="folder or zip of <claim_id>.json")  # fmt: skip
    flags.add_argument("--jsonl", action="store_true", help="write JSON lines instead of one JSON list")
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    source = existing_file(args.veracity_prediction_file, "src.prediction.veracity_prediction")
    claims = in_range(read_by_claim(source, Prediction), args.start, args.end, source)
    store = KnowledgeStore(args.knowledge_store_dir)
    store.refuse_without(claim.claim_id for claim in claims)
    return run(
        Job(
            step=MODULE,
            settings=args,
            claims=claims,
            inputs={"veracity_prediction_file": source, "knowledge_store_dir": store.path},
            start=lambda: Engine(work=partial(_add_all, store)),
            without_result=lambda claim: with_texts(claim, {}),
            as_list=not args.jsonl,
        )
    )


def _add_all(store: KnowledgeStore, claims: Sequence[Prediction]) -> list[Outcome[Prediction]]:
    return [add(store, claim) for claim in claims]


def add(store: KnowledgeStore, claim: Prediction) -> Outcome[Prediction]:
    """Return the claim with its texts; a claim without a file in the store is counted.

    Raises: StoreError if the file is damaged.
    """
    known = claim.claim_id in store
    done = with_texts(claim, texts_by_url(store[claim.claim_id]) if known else {})
    empty = sum(not pair.scraped_text for pair in done.evidence)
    return Outcome(done, {"evidence": len(done.evidence), "without_text": empty, "no_store_file": int(not known)})


def texts_by_url(documents: Sequence[Document]) -> dict[str, str]:
    """Return each page's sentences joined by a space; for a page that occurs twice, the last non-empty text."""
    found: dict[str, str] = {}
    for document in documents:
        found[document.url] = " ".join(document.url2text) or found.get(document.url, "")
    return found


def with_texts(claim: Prediction, texts: dict[str, str]) -> Prediction:
    """Return a copy of the prediction with `scraped_text` on every piece of evidence."""
    evidence = [msgspec.structs.replace(pair, scraped_text=texts.get(pair.url, "")) for pair in claim.evidence]
    return msgspec.structs.replace(claim, evidence=evidence)


if __name__ == "__main__":
    raise SystemExit(main())
