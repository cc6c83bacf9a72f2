"""Check-worthiness: which claims, questions and labeled sentences the rules recognize as claims.

Claims and questions are those of AVeriTeC's train. `sentence_labels.jsonl` has labels of sentences of fact-checks, news
and scraped pages. One annotator made them before the rules had seen the sentences. A sentence is labeled a
claim if it states a fact about the present or past that a reader would want checked, and names or counts something.
Opinions, questions, predictions, instructions, and page furniture such as dates and links are no claims.

The texts of the sentences are not part of the project. A label has a file of the shared data, a record in it (the id,
or in a knowledge store the number of the line from 0), the number of the sentence in the record from 0, and the first
digits of the text's SHA-256.

Limitations: one annotator; marginal sentences, such as reports of an argument, are a matter of taste.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from src.check.article.worthiness import Worth, worth_of
from src.errors import InputError
from src.records import Document
from src.spacy_pipelines import FROM_PYPI, load
from src.store import read_claims, read_records

if TYPE_CHECKING:
    from spacy.language import Language

LABELS = Path(__file__).with_name("sentence_labels.jsonl")
NAMES_NOTHING = "names and counts nothing"


class SentenceLabel(msgspec.Struct, frozen=True):
    """Label of a sentence of the shared data. `sha256`: first digits of the hash of its text."""

    file: str
    record: str
    sentence: int
    sha256: str
    claim: bool


class LabeledSentence(msgspec.Struct, frozen=True):
    text: str
    is_claim: bool


class Recognized(msgspec.Struct, frozen=True):
    """Counts of texts that are taken for claims. `reasons`: numbers of the others, by reason."""

    texts: int
    recognized: int
    with_name_or_number: int
    reasons: dict[str, int]

    @property
    def share(self) -> float:
        return self.recognized / self.texts


class Detection(msgspec.Struct, frozen=True):
    """Scores of a rule on labeled sentences. `given`: sentences that it takes for claims; `right` of them are."""

    rule: str
    given: int
    right: int
    precision: float
    recall: float
    f1: float


class _Record(msgspec.Struct, frozen=True):
    id: str
    evidence: list[str]


def claims_and_questions(averitec: Path) -> tuple[list[str], list[str]]:
    """Return the different claims and gold questions of AVeriTeC's train. Raises InputError."""
    claims = read_claims(averitec / "train.json")
    questions = (one.question for claim in claims for one in claim.questions or [])
    return list(dict.fromkeys(claim.claim for claim in claims)), list(dict.fromkeys(questions))


def labeled_sentences(shared: Path, labels: Path = LABELS) -> list[LabeledSentence]:
    """Return the labeled sentences with their texts. Raises InputError if a file or a sentence is missing."""
    texts = cache(lambda file: _texts(shared / file))
    found = []
    for label in read_records(labels, SentenceLabel):
        sentences = texts(label.file).get(label.record, [])
        text = sentences[label.sentence] if label.sentence < len(sentences) else ""
        if not _sha256(text).startswith(label.sha256):
            where = f"record {label.record}, sentence {label.sentence}"
            raise InputError(f"{where} is not the labeled one ({label.sha256})", path=shared / label.file)
        found.append(LabeledSentence(text, label.claim))
    return found


def _texts(path: Path) -> dict[str, list[str]]:
    """Return the sentences of each record of a file, by id, or by line for a knowledge store."""
    if path.suffix == ".json":
        return {str(line): one.url2text for line, one in enumerate(read_records(path, Document))}
    return {one.id: one.evidence for one in read_records(path, _Record)}


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def worths(texts: Iterable[str]) -> list[list[Worth]]:
    """Return what the rules say of each sentence of each text. Raises MissingExtra without spaCy's pipeline."""
    pipeline: Language = load(FROM_PYPI, [])
    return [[worth_of(one) for one in doc.sents if one.text.strip()] for doc in pipeline.pipe(texts)]


def is_recognized(sentences: Sequence[Worth]) -> bool:
    """Return True if a sentence of the text is taken for a claim."""
    return any(not one.reason and one.score for one in sentences)


def has_name_or_number(sentences: Sequence[Worth]) -> bool:
    """Return True if a sentence of the text names or counts something: a baseline."""
    return any(one.score for one in sentences)


def recognized(texts: Sequence[str]) -> Recognized:
    """Return how many texts are taken for claims, and why the others are not (by their first sentences)."""
    found = worths(texts)
    left_out = [one for one in found if not is_recognized(one)]
    reasons = Counter((one[0].reason if one else "") or NAMES_NOTHING for one in left_out)
    named = sum(map(has_name_or_number, found))
    return Recognized(len(texts), len(texts) - len(left_out), named, dict(reasons.most_common()))


def detections(sentences: Sequence[LabeledSentence]) -> list[Detection]:
    """Return scores of the rules and of two baselines."""
    found = worths(one.text for one in sentences)
    labels = [one.is_claim for one in sentences]
    rules: dict[str, Callable[[Sequence[Worth]], bool]] = {
        "the rules": is_recognized,
        "each sentence with a name or a number": has_name_or_number,
        "each sentence": lambda _: True,
    }
    return [detection(name, [rule(one) for one in found], labels) for name, rule in rules.items()]


def detection(name: str, given: Sequence[bool], labels: Sequence[bool]) -> Detection:
    """Return precision, recall and F1 of the class "claim"; 0 where one has no denominator."""
    right = sum(one and label for one, label in zip(given, labels, strict=True))
    precision, recall = right / max(1, sum(given)), right / max(1, sum(labels))
    f1 = 2 * right / max(1, sum(given) + sum(labels))
    return Detection(name, sum(given), right, round(precision, 4), round(recall, 4), round(f1, 4))
