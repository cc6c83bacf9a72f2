"""Checker that runs all checks on the explanations of many claims."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from src.explanation.checks.bearing import Bearing
from src.explanation.checks.conclusions import other_verdicts
from src.explanation.checks.dates import untold_dates
from src.explanation.checks.entities import untold_names
from src.explanation.checks.grounds import Grounds
from src.explanation.checks.misstated import with_evidence
from src.explanation.checks.numbers import untold_numbers
from src.explanation.checks.premise import premise
from src.explanation.checks.quantifiers import wider_quantifiers
from src.explanation.checks.references import without_references
from src.explanation.checks.relevance import irrelevant
from src.explanation.checks.tagged import Candidate, of_tagger, of_words
from src.explanation.checks.thresholds import ALL_STAND, THRESHOLDS, Thresholds
from src.explanation.hedge import without_hedge
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.models.faithfulness import Tagger, Word, load_tagger
from src.spacy_pipelines import FROM_PYPI, load
from src.text import sentences

if TYPE_CHECKING:
    from spacy.language import Language

MOST_MARKS = 20
_MARKS = re.compile(rf"(?:['\u2019]s|[^\w\s]){{{MOST_MARKS},}}")
_VERDICTS = "words_reasoning_coherence"
OF_WORDS: tuple[tuple[str, Callable[[str, int, Grounds], Iterator[Finding]]], ...] = (
    ("words_number", untold_numbers), ("words_number", untold_dates), ("words_overgeneralisation", wider_quantifiers),
    (_VERDICTS, other_verdicts), ("words_irrelevant_evidence", irrelevant),
)  # fmt: skip


class Checker:
    """Checker of explanations; without a tagger it uses only the lexical rules.

    A sentence that is copied from the evidence is faithful. Only a verdict that it states is checked, unless `copies`
    is True. `bearing`, if given, reads all sentences of a justification together with the claim.
    """

    def __init__(
        self,
        language: "Language",
        tagger: Tagger | None = None,
        thresholds: Thresholds = THRESHOLDS,
        *,
        copies: bool = False,
        bearing: Bearing | None = None,
    ) -> None:
        self._language, self._tagger, self._copies, self._bearing = language, tagger, copies, bearing
        self._thresholds = ALL_STAND if tagger is None else thresholds

    def with_copies(self) -> "Checker":
        """Return the same checker, which also checks copied sentences."""
        return Checker(self._language, self._tagger, self._thresholds, copies=True, bearing=self._bearing)

    def without_tagger(self) -> "Checker":
        """Return a checker that uses only the lexical rules: all their findings are kept."""
        return Checker(self._language, copies=self._copies)

    def check(self, claims: Sequence[ExplainedClaim]) -> list[list[Finding]]:
        """Return the findings of each claim, in the order of its sentences; a claim without an explanation has none.

        Raises: ModelError if a model fails.
        """
        found = self.findings(self.prepared(claims))
        whole: list[Finding | None] = [None] * len(claims) if self._bearing is None else self._bearing.check(claims)
        return [
            [*with_evidence(claim, its), *([] if beside is None else [beside])]
            for claim, its, beside in zip(claims, found, whole, strict=True)
        ]

    def prepared(self, claims: Sequence[ExplainedClaim]) -> list[list[Candidate]]:
        """Return the candidates of each claim: all possible findings, whatever the thresholds.

        Raises: ModelError if the tagger fails.
        """
        said = [
            (number, place, one, grounds)
            for number, (claim, grounds) in enumerate(zip(claims, map(Grounds.of, claims), strict=True))
            for place, one in enumerate(map(without_hedge, sentences(claim.explanation or "")))
        ]
        found: list[list[Candidate]] = [[] for _ in claims]
        for (number, place, one, grounds), tags in zip(said, self._tags(said), strict=True):
            if self._passes(one, grounds):
                found[number] += [of_words(_VERDICTS, each, (), one) for each in other_verdicts(one, place, grounds)]
                continue
            found[number] += [of_words(kind, each, tags, one) for kind, each in self._by_words(one, place, grounds)]
            found[number] += of_tagger(tags, one, place, grounds)
        return found

    def _tags(self, said: "Sequence[tuple[int, int, str, Grounds]]") -> list[Sequence[Word]]:
        """Return the tagged words of each sentence; empty for copied sentences, which the tagger does not read."""
        tags: list[Sequence[Word]] = [()] * len(said)
        if self._tagger is not None:
            places = [at for at, (_, _, one, grounds) in enumerate(said) if not self._passes(one, grounds)]
            asked = [(said[at][2], premise(said[at][2], said[at][3])) for at in places]
            for at, words in zip(places, self._tagger.tag(asked), strict=True):
                tags[at] = words
        return tags

    def _passes(self, sentence: str, grounds: Grounds) -> bool:
        return not self._copies and grounds.tells(sentence)

    def findings(self, prepared: Sequence[Sequence[Candidate]]) -> list[list[Finding]]:
        """Return the findings of each claim that reach their threshold.

        The tagger adds no finding of a type on words that already have one of this type.
        """
        return [self._of_claim(candidates) for candidates in prepared]

    def _of_claim(self, candidates: Sequence[Candidate]) -> list[Finding]:
        found: list[Finding] = []
        spans: dict[tuple[int, ErrorType], list[str]] = {}
        for candidate in candidates:
            kind, chance, one = candidate
            others = spans.setdefault((one.sentence, one.type), [])
            is_new = candidate.is_of_words or not any(one.span in other or other in one.span for other in others)
            if is_new and chance >= getattr(self._thresholds, kind):
                found.append(one)
                others.append(one.span)
        return found

    def _by_words(self, sentence: str, place: int, grounds: Grounds) -> Iterator[tuple[str, Finding]]:
        """Yield the findings of the lexical rules, each with the name of its threshold."""
        plain = without_references(sentence)
        for one in untold_names(self._language(_shorter(plain)), place, grounds):
            yield "words_entity", one
        for kind, check in OF_WORDS:
            for one in check(plain, place, grounds):
                yield kind, one


def _shorter(sentence: str) -> str:
    """Return the sentence with long runs of punctuation cut: spaCy needs quadratic time for them."""
    return _MARKS.sub(lambda found: found[0][:MOST_MARKS], sentence)


def checker(tagger: Path | None = None, bearing: Bearing | None = None) -> Checker:
    """Return a checker with spaCy's small English pipeline; `tagger` is the folder of a trained tagger.

    Raises: InputError if a model is missing, MissingExtra if a library is.
    """
    tags = load_tagger(tagger) if tagger is not None else None
    return Checker(load(FROM_PYPI, ["lemmatizer"]), tags, bearing=bearing)
