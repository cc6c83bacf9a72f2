"""Checker that runs all checks on the explanations of many claims, and the settings that choose its models."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from src.errors import InputError
from src.explanation.checks.bearing import Bearing
from src.explanation.checks.entities import unknown_names
from src.explanation.checks.grounds import Grounds, premise, with_evidence, without_references
from src.explanation.checks.rules import irrelevant, unknown_dates, unknown_numbers, wider_quantifiers
from src.explanation.checks.tagged import ALL_STAND, THRESHOLDS, Candidate, Thresholds, of_tagger, of_words
from src.explanation.checks.verdicts import wrong_verdicts
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.text import without_hedge
from src.explanation.typology import ErrorType
from src.llm.weights import PRETRAINED
from src.models.faithfulness import Premise, Word, load_tagger
from src.models.trained import TRAINED, is_trained
from src.settings import Flag
from src.spacy_pipelines import FROM_PYPI, load
from src.stance.reader import READER
from src.text import sentences

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


MOST_MARKS = 20
_MARKS = re.compile(rf"(?:['\u2019]s|[^\w\s]){{{MOST_MARKS},}}")
_VERDICTS = "words_reasoning_coherence"
OF_WORDS: tuple[tuple[str, Callable[[str, int, Grounds], Iterator[Finding]]], ...] = (
    ("words_number", unknown_numbers), ("words_number", unknown_dates), ("words_overgeneralisation", wider_quantifiers),
    (_VERDICTS, wrong_verdicts), ("words_irrelevant_evidence", irrelevant),
)  # fmt: skip


class Tags(Protocol):
    """Tagger of sentences, such as `Tagger` in `src/models/faithfulness.py`."""

    def tag(self, pairs: Sequence[tuple[str, Premise]]) -> list[list[Word]]: ...


class Checker:
    """Checker of explanations; without a tagger it uses only the lexical rules.

    By default, a sentence that is copied from the evidence counts as faithful; only a verdict that it states is
    checked. With `copies`, such sentences are checked like all others. `bearing`, if given, checks whether the
    justification as a whole bears on the claim.
    """

    def __init__(
        self,
        language: "Callable[[str], Doc]",
        tagger: Tags | None = None,
        thresholds: Thresholds = THRESHOLDS,
        *,
        copies: bool = False,
        bearing: Bearing | None = None,
    ) -> None:
        self._language, self._tagger, self._copies, self._bearing = language, tagger, copies, bearing
        self._thresholds = ALL_STAND if tagger is None else thresholds

    def with_copies(self) -> "Checker":
        """Return a checker with the same models that also checks sentences copied from the evidence."""
        return Checker(self._language, self._tagger, self._thresholds, copies=True, bearing=self._bearing)

    def without_tagger(self) -> "Checker":
        """Return a checker that uses only the lexical rules; all their findings are kept, without thresholds."""
        return Checker(self._language, copies=self._copies)

    def check(self, claims: Sequence[ExplainedClaim]) -> list[list[Finding]]:
        """Return the findings for each claim, ordered by sentence; none for a claim without an explanation.

        Raises ModelError if a model fails.
        """
        findings = self.findings(self.prepared(claims))
        whole: list[Finding | None] = [None] * len(claims) if self._bearing is None else self._bearing.check(claims)
        return [
            [*with_evidence(claim, its), *([] if beside is None else [beside])]
            for claim, its, beside in zip(claims, findings, whole, strict=True)
        ]

    def prepared(self, claims: Sequence[ExplainedClaim]) -> list[list[Candidate]]:
        """Return the candidates of each claim: all findings before the thresholds are applied.

        Raises ModelError if the tagger fails.
        """
        rows = [
            (number, place, one, grounds)
            for number, (claim, grounds) in enumerate(zip(claims, map(Grounds.of, claims), strict=True))
            for place, one in enumerate(map(without_hedge, sentences(claim.explanation or "")))
        ]
        candidates: list[list[Candidate]] = [[] for _ in claims]
        for (number, place, one, grounds), tags in zip(rows, self._tags(rows), strict=True):
            if self._passes(one, grounds):
                candidates[number] += [
                    of_words(_VERDICTS, each, (), one) for each in wrong_verdicts(one, place, grounds)
                ]
                continue
            candidates[number] += [
                of_words(kind, each, tags, one) for kind, each in self._by_words(one, place, grounds)
            ]
            candidates[number] += of_tagger(tags, one, place, grounds)
        return candidates

    def _tags(self, rows: "Sequence[tuple[int, int, str, Grounds]]") -> list[Sequence[Word]]:
        """Return the tagger's words for each sentence; empty for copied sentences, which are not tagged.

        A row has the index of the claim, the index of the sentence in its explanation, the sentence, and the grounds.
        """
        tags: list[Sequence[Word]] = [()] * len(rows)
        if self._tagger is not None:
            places = [at for at, (_, _, one, grounds) in enumerate(rows) if not self._passes(one, grounds)]
            pairs = [(rows[at][2], premise(rows[at][2], rows[at][3])) for at in places]
            for at, words in zip(places, self._tagger.tag(pairs), strict=True):
                tags[at] = words
        return tags

    def _passes(self, sentence: str, grounds: Grounds) -> bool:
        return not self._copies and grounds.has_sentence(sentence)

    def findings(self, prepared: Sequence[Sequence[Candidate]]) -> list[list[Finding]]:
        """Return, for each claim, the findings whose probability reaches the threshold of their check.

        The tagger adds no finding on words that already have a finding of the same type.
        """
        return [self._of_claim(candidates) for candidates in prepared]

    def _of_claim(self, candidates: Sequence[Candidate]) -> list[Finding]:
        findings: list[Finding] = []
        spans: dict[tuple[int, ErrorType], list[str]] = {}
        for candidate in candidates:
            kind, chance, one = candidate
            others = spans.setdefault((one.sentence, one.type), [])
            is_new = candidate.is_of_words or not any(one.span in other or other in one.span for other in others)
            if is_new and chance >= getattr(self._thresholds, kind):
                findings.append(one)
                others.append(one.span)
        return findings

    def _by_words(self, sentence: str, place: int, grounds: Grounds) -> Iterator[tuple[str, Finding]]:
        """Yield the findings of the lexical rules, each with the name of its threshold."""
        plain = without_references(sentence)
        for one in unknown_names(self._language(_shorter(plain)), place, grounds):
            yield "words_entity", one
        for kind, check in OF_WORDS:
            for one in check(plain, place, grounds):
                yield kind, one


def _shorter(sentence: str) -> str:
    """Return the sentence with long runs of punctuation cut to MOST_MARKS characters; spaCy's time is quadratic in
    their length.
    """
    return _MARKS.sub(lambda match: match[0][:MOST_MARKS], sentence)


def checker(tagger: Path | None = None, bearing: Bearing | None = None) -> Checker:
    """Return a checker with spaCy's small English pipeline. `tagger` is the folder of a trained tagger; None: no
    tagger.

    Raises InputError if a model is missing, MissingExtra if a library is missing.
    """
    tags = load_tagger(tagger) if tagger is not None else None
    return Checker(load_language(), tags, bearing=bearing)


def load_language() -> "Language":
    """Return spaCy's small English pipeline, which finds names. Raises MissingExtra if it is missing."""
    return load(FROM_PYPI, ["lemmatizer"])


SHIPPED = PRETRAINED / "adapters" / "faithfulness"
NO_TAGGER = "none"
NO_READER = "none"
NOT_READ = f"{READER} is not there, so that no justification is checked for its bearing on the claim"


def tagger_flag() -> Flag:
    """Return the description of the option `--tagger`: the folder of a trained tagger."""
    what = f"what train_faithfulness made (default: {SHIPPED}); {NO_TAGGER}: check by words alone"
    return Flag(what, metavar="FOLDER", or_path=True, names=(NO_TAGGER,))


def reader_flag() -> Flag:
    """Return the description of the option `--reader`: the folder of the model that reads justifications."""
    what = (
        f"entailment or verdict model that reads what a justification says to its claim (default: {READER}, without a "
        f"tagger none); {NO_READER}: leave this check out"
    )
    return Flag(what, metavar="FOLDER", or_path=True, names=(NO_READER,))


def tagger_files(text: str | None) -> dict[str, Path]:
    """Return the file that identifies the tagger, as {"tagger": path}; empty for `--tagger none`. `text` is the value
    of `--tagger`.

    Raises InputError if the folder has no tagger.
    """
    if text == NO_TAGGER:
        return {}
    folder = SHIPPED if text is None else Path(text)
    if not (folder / TRAINED).is_file():
        raise InputError(f"holds no tagger; `--tagger {NO_TAGGER}` checks by words alone", path=folder)
    return {"tagger": folder / TRAINED}


def reader_files(text: str | None, tagger: str | None) -> tuple[dict[str, Path], list[str]]:
    """Return the file that identifies the reader, as {"reader": path}, and warnings to print.

    The reader is the model that judges if a justification bears on its claim. Without a reader the dict is empty. This
    is so for `--reader none`, for `--tagger none` without `--reader`, and if the default model is missing; only the
    last gives a warning. `text` is the value of `--reader`, `tagger` that of `--tagger`.
    Raises InputError if a named folder has no model.
    """
    if text == NO_READER or (text is None and tagger == NO_TAGGER):
        return {}, []
    if text is None and not is_trained(READER):
        return {}, [NOT_READ]
    folder = READER if text is None else Path(text)
    if not is_trained(folder):
        raise InputError(
            f"holds no entailment or verdict model; `--reader {NO_READER}` leaves this check out", path=folder
        )
    return {"reader": folder / TRAINED}, []


def chosen_bearing(files: Mapping[str, Path]) -> Bearing | None:
    """Load the model in `files`, the result of `reader_files`, and return the bearing check; None if there is no model.

    Raises InputError if the model is invalid, MissingExtra if a library is missing.
    """
    if "reader" not in files:
        return None
    from src.models.entailment import load_entailment

    return Bearing(load_entailment(files["reader"].parent))


def chosen_checker(text: str | None, bearing: Bearing | None = None) -> Checker:
    """Return a checker with the chosen tagger.

    `text` is the value of `--tagger`: a folder or `none`; None: the default tagger. `bearing` checks whether a
    justification bears on its claim; None: this check is left out.
    Raises InputError if a model is missing, MissingExtra if a library is missing.
    """
    files = tagger_files(text)
    return checker(files["tagger"].parent if files else None, bearing)
