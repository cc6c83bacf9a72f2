"""Rows of the pack, parsed by spaCy."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from src.spacy_pipelines import FROM_PYPI, load
from src.training.entailment.pack import PackRow
from src.training.entailment.pack_examples import window

if TYPE_CHECKING:
    from spacy.tokens import Doc

Pool = Mapping[str, Sequence[str]]
_OF_CLAIMS_ALONE = ["parser", "tagger", "lemmatizer", "attribute_ruler"]


class ReadRow(NamedTuple):
    """A row with its parsed claim, and its evidence with names and numbers alone."""

    row: PackRow
    claim: "Doc"
    evidence: "Doc"


def read_rows(rows: Sequence[PackRow]) -> list[ReadRow]:
    """Return the parsed rows, in order. Raises MissingExtra when spaCy's model is not installed."""
    nlp = load(FROM_PYPI, [])
    claims = nlp.pipe([row.claim for row in rows])
    texts = nlp.pipe([window(row) for row in rows], disable=_OF_CLAIMS_ALONE)
    return [ReadRow(*one) for one in zip(rows, claims, texts, strict=True)]


def names_by_kind(read: Sequence[ReadRow]) -> Pool:
    """Return all names and numbers of the claims by their kind."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for one in read:
        for name in one.claim.ents:
            found[name.label_][name.text] = None
    return {kind: list(names) for kind, names in found.items()}
