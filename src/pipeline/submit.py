"""Stage: build the submission: add to each piece of evidence the text of its page."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from src.knowledge_store import KnowledgeStore
from src.records import Document, Prediction
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.outcome import Outcome
from src.runner.sharding import in_shard, input_file
from src.settings import Flag
from src.store import read_by_claim

STEP = "src.prediction.veracity_with_scraped_text"


class SubmitSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `submit_job`."""

    veracity_prediction_file: Annotated[Path, Flag("predictions", "-i")] = Path(
        "data_store/dev_veracity_prediction.json"
    )
    output: Annotated[Path, Flag("the submission", "-o", "--output_file")] = Path(
        "data_store/dev_veracity_prediction_for_submission.json"
    )
    knowledge_store_dir: Annotated[Path, Flag("folder or zip of <claim_id>.json")] = Path(
        "data_store/knowledge_store/dev"
    )
    jsonl: Annotated[bool, Flag("write JSON lines instead of one JSON list")] = False


def submit_job(settings: SubmitSettings) -> Job[Prediction, Prediction]:
    """Return the job that adds texts to a file of predictions. Raises InputError for bad input."""
    source = input_file(settings.veracity_prediction_file, "src.prediction.veracity_prediction", settings.range)
    everyone = read_by_claim(source, Prediction)
    settings = in_shard(settings, everyone, source)
    claims = in_range(everyone, settings.range.start, settings.range.end, source)
    store = KnowledgeStore(settings.knowledge_store_dir)
    store.refuse_without(claim.claim_id for claim in claims)
    return Job(
        step=STEP,
        settings=settings,
        claims=claims,
        inputs={"veracity_prediction_file": source, "knowledge_store_dir": store.path},
        start=lambda: Engine(work=partial(_add_all, store)),
        without_result=lambda claim: with_texts(claim, {}),
        as_list=not settings.jsonl,
        on_cluster="tasks",
    )


def _add_all(store: KnowledgeStore, claims: Sequence[Prediction]) -> list[Outcome[Prediction]]:
    return [add(store, claim) for claim in claims]


def add(store: KnowledgeStore, claim: Prediction) -> Outcome[Prediction]:
    """Return the prediction with each piece of evidence completed by the text of its page; "" if the store lacks it.

    The outcome's `counts` say how many pieces of evidence there are, how many of them have no text, and whether the
    store has no file for the claim.
    Raises StoreError if the file is damaged.
    """
    known = claim.claim_id in store
    done = with_texts(claim, texts_by_url(store[claim.claim_id]) if known else {})
    empty = sum(not pair.scraped_text for pair in done.evidence)
    return Outcome(done, {"evidence": len(done.evidence), "without_text": empty, "no_store_file": int(not known)})


def texts_by_url(documents: Sequence[Document]) -> dict[str, str]:
    """Return the text of each page by URL: its sentences, joined by spaces.

    If a URL occurs more than once, its last non-empty text is returned.
    """
    texts: dict[str, str] = {}
    for document in documents:
        texts[document.url] = " ".join(document.url2text) or texts.get(document.url, "")
    return texts


def with_texts(claim: Prediction, texts: dict[str, str]) -> Prediction:
    """Return a copy of the prediction with the page's text as `scraped_text` of each piece of evidence."""
    evidence = [msgspec.structs.replace(pair, scraped_text=texts.get(pair.url, "")) for pair in claim.evidence]
    return msgspec.structs.replace(claim, evidence=evidence)
