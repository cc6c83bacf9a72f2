"""The steps of a trace as question-answer pairs: the submission's form.

A Question is asked as it was; a Verify becomes a yes-no question, whose answer ends in the sentences that it rests on.
First the steps that decide, then the others, at the end those without an answer; none twice, and only those of programs
that voted with most. A placeholder never stands in a question, and what has no letter is not asked.
"""

from collections.abc import Iterator, Mapping, Sequence

from src.programs.program import Function
from src.programs.records import ClaimTrace, StepTrace
from src.programs.submission.yes_no import questions
from src.records import QAPair, Value
from src.text import same

UNANSWERED = "No answer could be found."
_SAID = {Value.TRUE: "Yes.", Value.FALSE: "No.", Value.CONFLICTING: "The sources disagree."}
SENTENCES = 2  # of a step's evidence in its answer; of conflicting sources one each
ALIKE = 0.9  # steps with this share of their words in common are one


def evidence_pairs(traces: Sequence[ClaimTrace], top_n: int) -> list[list[QAPair]]:
    """Of each trace at most `top_n` pairs, the ones that decide first. Raises MissingExtra as `questions` does."""
    kept = [_told_apart(trace)[:top_n] for trace in traces]
    stated = list(dict.fromkeys(step.text for steps in kept for step in steps if step.function != Function.QUESTION))
    asked = dict(zip(stated, questions(stated), strict=True))
    return [[_pair(step, asked) for step in steps] for steps in kept]


def _told_apart(trace: ClaimTrace) -> list[StepTrace]:
    """The steps that were asked, the telling ones first, of those with nearly the same words the first."""
    kept: dict[frozenset[str], StepTrace] = {}
    for step in sorted(_voting(trace), key=_rank):
        words = frozenset(same(step.text).split())
        if not any(_alike(words, other) for other in kept):
            kept[words] = step
    return list(kept.values())


def _voting(trace: ClaimTrace) -> Iterator[StepTrace]:
    for program in trace.programs:
        if program.value is trace.value:
            yield from (step for step in program.steps if _is_askable(step.text))


def _is_askable(text: str) -> bool:
    return any(sign.isalpha() for sign in text) and "{" not in text


def _rank(step: StepTrace) -> int:
    """Sorting is stable: within a rank steps stay in the order of their programs."""
    if step.value in (None, Value.UNKNOWN):
        return 2
    return 0 if step.decisive else 1


def _pair(step: StepTrace, asked: Mapping[str, str]) -> QAPair:
    """`asked` has the question of each statement."""
    return QAPair(step.text if step.function == Function.QUESTION else asked[step.text], *_answer(step))


def _answer(step: StepTrace) -> tuple[str, str | list[str]]:
    """What the step came to, then the sentences behind it; and where they stand."""
    if step.value in (None, Value.UNKNOWN):
        return UNANSWERED, ""
    if step.function == Function.QUESTION:
        said, cited = f"{str(step.value).removesuffix('.')}.", step.evidence[:1]
    else:
        said, cited = _SAID[Value(step.value)], step.evidence[:SENTENCES]
    urls = list(dict.fromkeys(one.url for one in cited))
    return " ".join([said, *(one.sentence for one in cited)]), urls if len(urls) > 1 else "".join(urls)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Dice's coefficient of their words."""
    return 2 * len(one & other) > ALIKE * (len(one) + len(other))
