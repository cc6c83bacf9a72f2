"""All checks on the explanations of many claims."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from src.explanation.checks.conclusions import other_verdicts
from src.explanation.checks.entities import untold_names
from src.explanation.checks.grounds import Grounds
from src.explanation.checks.numbers import untold_numbers
from src.explanation.checks.premise import premise
from src.explanation.checks.quantifiers import wider_quantifiers
from src.explanation.checks.references import without_references
from src.explanation.checks.relevance import irrelevant
from src.explanation.checks.tagged import THRESHOLDS, Thresholds, doubt, tagged_findings
from src.explanation.records import ExplainedClaim, Finding
from src.models.faithfulness import Tagger, Word, load_tagger
from src.retrieval.pages.splitters import FROM_PYPI, load
from src.text import sentences

if TYPE_CHECKING:
    from spacy.language import Language

OF_WORDS: tuple[Callable[[str, int, Grounds], Iterator[Finding]], ...] = (
    untold_numbers, wider_quantifiers, other_verdicts, irrelevant,
)  # fmt: skip


class Checker:
    """`check` gives the findings of each claim, in the order of its sentences. Without a tagger, by words alone."""

    def __init__(self, language: "Language", tagger: Tagger | None = None, thresholds: Thresholds = THRESHOLDS) -> None:
        self._language, self._tagger, self._thresholds = language, tagger, thresholds

    def check(self, claims: Sequence[ExplainedClaim]) -> list[list[Finding]]:
        """A claim without an explanation has none. Raises ModelError."""
        grounds = [Grounds.of(claim) for claim in claims]
        said = [sentences(claim.explanation or "") for claim in claims]
        tags = self._tags(said, grounds)
        return [
            [found for place, one in enumerate(parts) for found in self._findings(one, place, its, next(tags))]
            for parts, its in zip(said, grounds, strict=True)
        ]

    def _tags(self, said: Sequence[Sequence[str]], grounds: Sequence[Grounds]) -> Iterator[list[Word] | None]:
        """Of each sentence of each claim; all are asked at once."""
        asked = [(one, premise(one, its)) for parts, its in zip(said, grounds, strict=True) for one in parts]
        return iter(self._tagger.tag(asked) if self._tagger is not None else [None] * len(asked))

    def _findings(self, sentence: str, place: int, grounds: Grounds, tags: list[Word] | None) -> Iterator[Finding]:
        by_words = self._by_words(sentence, place, grounds)
        if tags is None:
            yield from by_words
            return
        kept = [one for one in by_words if doubt(tags, one.span, sentence) >= self._thresholds.doubt]
        yield from kept
        for one in tagged_findings(tags, sentence, place, grounds, self._thresholds):
            if not any(one.type is other.type and _overlap(one.span, other.span) for other in kept):
                yield one

    def _by_words(self, sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
        plain = without_references(sentence)
        yield from untold_names(self._language(plain), place, grounds)
        for check in OF_WORDS:
            yield from check(plain, place, grounds)


def _overlap(span: str, other: str) -> bool:
    return span in other or other in span


def checker(tagger: Path | None = None) -> Checker:
    """With spaCy's small English pipeline; `tagger` is the folder of a trained one. Raises InputError, MissingExtra."""
    return Checker(load(FROM_PYPI, ["lemmatizer"]), load_tagger(tagger) if tagger is not None else None)
