"""All checks on the explanations of many claims."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from src.explanation.checks.conclusions import other_verdicts
from src.explanation.checks.entities import untold_names
from src.explanation.checks.grounds import Grounds
from src.explanation.checks.numbers import untold_numbers
from src.explanation.checks.quantifiers import wider_quantifiers
from src.explanation.checks.references import without_references
from src.explanation.records import ExplainedClaim, Finding
from src.retrieval.pages.splitters import FROM_PYPI, load
from src.text import sentences

if TYPE_CHECKING:
    from spacy.language import Language

OF_WORDS: tuple[Callable[[str, int, Grounds], Iterator[Finding]], ...] = (
    untold_numbers, wider_quantifiers, other_verdicts,
)  # fmt: skip


class Checker:
    """`check` gives the findings of each claim, in the order of its sentences."""

    def __init__(self, language: "Language") -> None:
        self._language = language

    def check(self, claims: Sequence[ExplainedClaim]) -> list[list[Finding]]:
        """A claim without an explanation has none."""
        return [list(self._findings(claim)) for claim in claims]

    def _findings(self, claim: ExplainedClaim) -> Iterator[Finding]:
        grounds, said = Grounds.of(claim), sentences(claim.explanation or "")
        plain = list(map(without_references, said))
        for place, (sentence, parse) in enumerate(zip(plain, self._language.pipe(plain), strict=True)):
            yield from untold_names(parse, place, grounds)
            for check in OF_WORDS:
                yield from check(sentence, place, grounds)


def checker() -> Checker:
    """With spaCy's small English pipeline. Raises MissingExtra."""
    return Checker(load(FROM_PYPI, ["lemmatizer"]))
