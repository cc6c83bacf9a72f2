"""The steps of a trace as question-answer pairs: the submission's form.

A Question is asked as it was; a Verify becomes a yes-no question, whose answer ends in the sentences that it rests on.
A pair has one page: a step that rests on sentences of two pages makes two pairs, the same question answered from each.
First the steps that decide, then the others, at the end those without an answer; of steps alike in words and value only
one, and only of programs that voted with most. What holds a brace before a name, as of a variable, or no letter is not
asked; other braces are left out of questions.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from src.programs.records import ClaimTrace, Function, StepEvidence, StepTrace
from src.programs.submission.yes_no import questions
from src.records import QAPair, Value
from src.text import same

UNANSWERED = "No answer could be found."
_SAID = {Value.TRUE: "Yes.", Value.FALSE: "No.", Value.CONFLICTING: "The sources disagree."}
_PLACEHOLDER, _BRACE = re.compile(r"\{\s*[A-Za-z_]"), re.compile(r"[{}]")
SENTENCES = 2  # of a step's evidence in its answer; of conflicting sources one each
ALIKE = 0.9  # steps of one value with more than this share of their words in common, in order, are one


class Piece(NamedTuple):
    """What one pair is made of: a step, and of the sentences that its answer rests on those of one page.

    A step without an answer has neither page nor sentences.
    """

    step: StepTrace
    url: str = ""
    sentences: tuple[str, ...] = ()


def evidence_pairs(traces: Sequence[ClaimTrace], top_n: int) -> list[list[QAPair]]:
    """Return of each trace at most `top_n` pairs, the deciding ones first. Raises MissingExtra as `questions` does."""
    kept = [pieces(trace, top_n) for trace in traces]
    steps = [one.step for found in kept for one in found if one.step.function is not Function.QUESTION]
    stated = list(dict.fromkeys(step.text for step in steps))
    asked = dict(zip(stated, questions([_without_braces(text) for text in stated]), strict=True))
    return [[_pair(one, asked) for one in found] for found in kept]


def pieces(trace: ClaimTrace, top_n: int) -> list[Piece]:
    """Return what the pairs of a trace are made of, one piece a pair, in their order.

    Second pages come behind the first pages of all steps of their rank, so that they push no step out.
    """
    paged = [(page, piece) for step in _told_apart(trace) for page, piece in enumerate(_by_page(step))]
    paged.sort(key=lambda one: (_rank(one[1].step), one[0]))
    return [piece for _, piece in paged[:top_n]]


def _by_page(step: StepTrace) -> Iterator[Piece]:
    """Yield the step with each of its pages, in the order of their first sentences."""
    cited = _cited(step)
    if not cited:
        yield Piece(step)
    for url in dict.fromkeys(one.url for one in cited):
        yield Piece(step, url, tuple(one.sentence for one in cited if one.url == url))


def _told_apart(trace: ClaimTrace) -> list[StepTrace]:
    """Return the steps that were asked, the telling ones first, of those alike the first."""
    kept: list[StepTrace] = []
    for step in sorted(_voting(trace), key=_rank):
        if not any(alike(step, other) for other in kept):
            kept.append(step)
    return kept


def _voting(trace: ClaimTrace) -> Iterator[StepTrace]:
    for place in trace.agreeing():
        yield from (step for step in trace.programs[place].steps if _is_askable(step.text))


def _is_askable(text: str) -> bool:
    return any(sign.isalpha() for sign in text) and not _PLACEHOLDER.search(text)


def _rank(step: StepTrace) -> int:
    """Sorting is stable: within a rank steps stay in the order of their programs."""
    if step.value in (None, Value.UNKNOWN):
        return 2
    return 0 if step.decisive else 1


def _pair(piece: Piece, asked: Mapping[str, str]) -> QAPair:
    """Return the pair of a piece; `asked` has the question of each statement."""
    text = piece.step.text
    question = _without_braces(text) if piece.step.function is Function.QUESTION else asked[text]
    return QAPair(question, _answer(piece), piece.url)


def _without_braces(text: str) -> str:
    """The text as it is where it has none."""
    return " ".join(text.replace("{", " ").replace("}", " ").split()) if _BRACE.search(text) else text


def _answer(piece: Piece) -> str:
    """Return what the step came to, then the sentences of the page."""
    value = piece.step.value
    if value in (None, Value.UNKNOWN):
        return UNANSWERED
    asks = piece.step.function is Function.QUESTION
    said = f"{str(value).removesuffix('.')}." if asks else _SAID[Value(value)]
    return " ".join([said, *piece.sentences])


def _cited(step: StepTrace) -> Sequence[StepEvidence]:
    """Return the sentences that the answer of a step ends in; none where it has no answer."""
    if step.value in (None, Value.UNKNOWN):
        return []
    return step.evidence[: 1 if step.function is Function.QUESTION else SENTENCES]


def alike(one: StepTrace, other: StepTrace) -> bool:
    """In value, and nearly in the words in their order."""
    words, others = same(one.text).split(), same(other.text).split()
    return one.value == other.value and SequenceMatcher(None, words, others, autojunk=False).ratio() > ALIKE
