"""The steps of a trace as question-answer pairs, and its value as a verdict: the submission's form.

A Question is asked as it was; a Verify becomes a yes-no question, whose answer ends in the sentences that it rests on.
First the steps that decide, then the others, at the end those without an answer; none twice, and only those of programs
that voted with most. A placeholder never stands in a question.
"""

from collections.abc import Iterator

from src.programs.program import Function
from src.programs.resolution import PLACEHOLDER
from src.records import ClaimTrace, Prediction, QAPair, StepTrace, TwoLabel, TwoLabelPrediction, Value, Verdict
from src.text import same

VERDICT = {
    Value.TRUE: Verdict.SUPPORTED,
    Value.FALSE: Verdict.REFUTED,
    Value.UNKNOWN: Verdict.NOT_ENOUGH_EVIDENCE,
    Value.CONFLICTING: Verdict.CONFLICTING,
}
UNANSWERED = "No answer could be found."
_SAID = {Value.TRUE: "Yes.", Value.FALSE: "No.", Value.CONFLICTING: "The sources disagree."}
SENTENCES = 2  # of a step's evidence in its answer; of conflicting sources one each
ALIKE = 0.9  # questions with this share of their words in common are one


def prediction(trace: ClaimTrace, top_n: int) -> Prediction:
    """At most `top_n` pairs, the ones that decide first."""
    return Prediction(trace.claim_id, trace.claim, pairs(trace)[:top_n], VERDICT[trace.value])


def two_label_prediction(trace: ClaimTrace, top_n: int) -> TwoLabelPrediction:
    """The same with a label of HOVER and FEVEROUS-S."""
    return TwoLabelPrediction(trace.claim_id, trace.claim, pairs(trace)[:top_n], two_label(trace.value))


def two_label(value: Value) -> TwoLabel:
    """What is not true is not supported: false, unknown or conflicting."""
    return TwoLabel.SUPPORTS if value is Value.TRUE else TwoLabel.REFUTES


def pairs(trace: ClaimTrace) -> list[QAPair]:
    """The pairs of all steps that were asked, the telling ones first."""
    kept: dict[frozenset[str], QAPair] = {}
    for step in sorted(_voting(trace), key=_rank):
        words = frozenset(same(question(step)).split())
        if not any(_alike(words, other) for other in kept):
            kept[words] = QAPair(question(step), *_answer(step))
    return list(kept.values())


def _voting(trace: ClaimTrace) -> Iterator[StepTrace]:
    for program in trace.programs:
        if program.value is trace.value:
            yield from (step for step in program.steps if step.text and not PLACEHOLDER.search(step.text))


def _rank(step: StepTrace) -> int:
    """Sorting is stable: within a rank steps stay in the order of their programs."""
    if step.value in (None, Value.UNKNOWN):
        return 2
    return 0 if step.decisive else 1


def question(step: StepTrace) -> str:
    if step.function == Function.QUESTION:
        return step.text
    text = step.text.strip().removesuffix(".")
    return f"Is it true that {text}?"


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
