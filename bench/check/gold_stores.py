"""Stores with the gold pages in reach, for held-out claims of AVeriTeC's train.

A claim's store has the pages that its gold answers name, with the gold answers of any claim that name them, the pages
of `NEAR` other claims, those whose answers are nearest (BM25), and for a share of claims (`RESTATED`) a post that
repeats the claim. Only the order of pages and these posts are drawn, by the claim's text.

Limitations: these are not AVeriTeC's stores of train. A page is made of the gold answers that name it, a short one with
its question in front, so that evidence is easier to find and to use than on the web. The best step and the temperature
of the trained models were chosen on all held-out claims, these among them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from src.atomic_file import write_whole
from src.claims import gold_answer
from src.records import AnswerType, Claim, Document, QAPair
from src.reranking.other_claims import OtherClaims
from src.stance.stacker import passage_of
from src.store import encode_lines
from src.text import same, sentences
from src.training.entailment.examples import restated
from src.training.passages.mixed import RESTATED
from src.training.split import is_measured, split_claims

NEAR = 8
REACH = 60  # of the nearest answers of other claims


def measured_claims(train: Sequence[Claim], leave_out: Sequence[Claim]) -> list[Claim]:
    """Return the held-out claims on which no model is trained and to which the stacked verdict is not fitted."""
    held_out = split_claims(train, leave_out).held_out
    return [claim for claim in held_out if claim.label is not None and is_measured(claim.claim)]


def write_gold_stores(folder: Path, claims: Sequence[Claim], everyone: Sequence[Claim]) -> None:
    """Write `<claim_id>.json` for each claim; pages and similar claims are those of `everyone`."""
    pages = _pages(everyone)
    urls = {claim.claim_id: list(_quoted(claim)) for claim in everyone}
    answers = [(claim, text) for claim in everyone for _, text in _quotes(claim)]
    others = OtherClaims((claim.claim, text) for claim, text in answers)
    for claim in claims:
        near = [answers[place][0].claim_id for place in others.nearest(claim.claim, REACH)]
        shown = [claim.claim_id, *list(dict.fromkeys(near))[:NEAR]]
        chosen = dict.fromkeys(url for number in shown for url in urls[number])
        documents = [Document(url=url, url2text=list(pages[url])) for url in chosen]
        draw = Random(same(claim.claim))
        if draw.random() < RESTATED:
            text = sentences(restated(claim.claim, draw))
            documents.append(Document(url=f"https://posts.example/{claim.claim_id}", url2text=text))
        draw.shuffle(documents)
        write_whole(folder / f"{claim.claim_id}.json", encode_lines(documents))


def _pages(claims: Sequence[Claim]) -> dict[str, dict[str, None]]:
    """Return the sentences of each page, by URL and without repetitions."""
    pages: dict[str, dict[str, None]] = {}
    for claim in claims:
        for url, text in _quotes(claim):
            pages.setdefault(url, {}).update(dict.fromkeys(sentences(text)))
    return pages


def _quoted(claim: Claim) -> dict[str, None]:
    return dict.fromkeys(url for url, _ in _quotes(claim))


def _quotes(claim: Claim) -> Iterator[tuple[str, str]]:
    """Yield page and text of each gold answer. A short answer comes with its question; an answer without URL has a page
    of its own.
    """
    answered = [(question, answer) for question in claim.questions for answer in question.answers]
    for place, (question, answer) in enumerate(answered):
        if answer.answer_type is not AnswerType.UNANSWERABLE:
            text = passage_of(QAPair(question.question.strip(), gold_answer(answer))).text
            yield answer.source_url or f"https://pages.example/{claim.claim_id}/{place}", text
