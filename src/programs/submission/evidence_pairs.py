"""The steps of a trace as question-answer pairs: the submission's form.

A Question is asked as it was; a Verify becomes a yes-no question, whose answer ends in the sentences that it rests on.
First the steps that decide, then the others, at the end those without an answer; of steps alike in words and value only
one, and only of programs that voted with most. What holds a brace before a name, as of a variable, or no letter is not
asked; other braces are left out of questions.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from src.programs.records import ClaimTrace, Function, StepEvidence, StepTrace
from src.programs.submission.yes_no import questions
from src.records import QAPair, Value
from src.text import same

UNANSWERED = "No answer could be found."
_SAID = {Value.TRUE: "Yes.", Value.FALSE: "No.", Value.CONFLICTING: "The sources disagree."}
_PLACEHOLDER, _BRACE = re.compile(r"\{\s*[A-Za-z_]"), re.compile(r"[{}]")
SENTENCES = 2  # of a step's evidence in its answer; of conflicting sources one each
ALIKE = 0.9  # steps of one value with more than this share of their words in common, in order, are one


def evidence_pairs(traces: Sequence[ClaimTrace], top_n: int) -> list[list[QAPair]]:
    """Of each trace at most `top_n` pairs, the ones that decide first. Raises MissingExtra as `questions` does."""
    kept = [told_apart(trace)[:top_n] for trace in traces]
    stated = list(dict.fromkeys(step.text for steps in kept for step in steps if step.function != Function.QUESTION))
    asked = dict(zip(stated, questions([_without_braces(text) for text in stated]), strict=True))
    return [[_pair(step, asked) for step in steps] for steps in kept]


def told_apart(trace: ClaimTrace) -> list[StepTrace]:
    """The steps that were asked, the telling ones first, of those alike the first: the pairs are made of these."""
    kept: list[StepTrace] = []
    for step in sorted(_voting(trace), key=_rank):
        if not any(alike(step, other) for other in kept):
            kept.append(step)
    return kept


def _voting(trace: ClaimTrace) -> Iterator[StepTrace]:
    for program in trace.programs:
        if program.value is trace.value:
            yield from (step for step in program.steps if _is_askable(step.text))


def _is_askable(text: str) -> bool:
    return any(sign.isalpha() for sign in text) and not _PLACEHOLDER.search(text)


def _rank(step: StepTrace) -> int:
    """Sorting is stable: within a rank steps stay in the order of their programs."""
    if step.value in (None, Value.UNKNOWN):
        return 2
    return 0 if step.decisive else 1


def _pair(step: StepTrace, asked: Mapping[str, str]) -> QAPair:
    """`asked` has the question of each statement."""
    asks = step.function is Function.QUESTION
    return QAPair(_without_braces(step.text) if asks else asked[step.text], *_answer(step))


def _without_braces(text: str) -> str:
    """The text as it is where it has none."""
    return " ".join(text.replace("{", " ").replace("}", " ").split()) if _BRACE.search(text) else text


def _answer(step: StepTrace) -> tuple[str, str | list[str]]:
    """What the step came to, then the sentences behind it; and where they stand."""
    if step.value in (None, Value.UNKNOWN):
        return UNANSWERED, ""
    asks = step.function is Function.QUESTION
    said = f"{str(step.value).removesuffix('.')}." if asks else _SAID[Value(step.value)]
    urls = list(dict.fromkeys(one.url for one in cited(step)))
    return " ".join([said, *(one.sentence for one in cited(step))]), urls if len(urls) > 1 else "".join(urls)


def cited(step: StepTrace) -> Sequence[StepEvidence]:
    """Return the sentences that the answer of a step ends in; none where it has no answer."""
    if step.value in (None, Value.UNKNOWN):
        return []
    return step.evidence[: 1 if step.function is Function.QUESTION else SENTENCES]


def alike(one: StepTrace, other: StepTrace) -> bool:
    """In value, and nearly in the words in their order."""
    words, others = same(one.text).split(), same(other.text).split()
    return one.value == other.value and SequenceMatcher(None, words, others, autojunk=False).ratio() > ALIKE
