"""Predictions from traces: the verdict with two or four labels, and the steps as question-answer pairs.

A trace is the record of a claim's executed programs. The text of a Question is the question of its pair. The text of a
Verify becomes a yes-no question, and its answer ends with the sentences of its evidence. Each pair has one page: a step
with sentences of two pages makes two pairs with the same question.

Pairs of decisive steps come first, then those of other steps, and steps without an answer at the end. Only programs
that voted for the claim's value count. Of steps that are alike in words and value, only one is used. A text without a
letter, or with a brace before a name as of a variable, makes no pair; other braces are removed from questions.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec

from src.evaluation.averitec import NO_ANSWER
from src.programs.answerers.recorded_answers import missing_path
from src.programs.program_files import read_traces
from src.programs.records import ClaimTrace, Function, StepEvidence, StepTrace, TwoLabel, TwoLabelPrediction
from src.programs.yes_no import questions
from src.records import Level, Prediction, QAPair, Value, Verdict
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import read_failures, write_output
from src.runner.paths import check_output, check_replaced
from src.settings import Flag, Positive, refuse_unread
from src.store import list_pieces
from src.text import same

_ANSWERS = {Value.TRUE: "Yes.", Value.FALSE: "No.", Value.CONFLICTING: "The sources disagree."}
_PLACEHOLDER, _BRACE = re.compile(r"\{\s*[A-Za-z_]"), re.compile(r"[{}]")
SENTENCES = 2  # of a step's evidence in its answer; for conflicting sources, one of each
ALIKE = 0.9  # steps with the same value and a higher similarity of their word sequences are one


class Piece(NamedTuple):
    """What a question-answer pair is made of: a step, and the sentences of one page from its evidence.

    `step`: the executed step.
    `url`: address or title of the page; empty for a step without an answer.
    `sentences`: the sentences; none for a step without an answer.
    """

    step: StepTrace
    url: str = ""
    sentences: tuple[str, ...] = ()


def evidence_pairs(traces: Sequence[ClaimTrace], top_n: int) -> list[list[QAPair]]:
    """Return at most `top_n` question-answer pairs for each trace, those of decisive steps first.

    Raises MissingExtra when spaCy, which makes the yes-no questions, is not installed.
    """
    selected = [pieces(trace, top_n) for trace in traces]
    steps = [one.step for group in selected for one in group if one.step.function is not Function.QUESTION]
    stated = list(dict.fromkeys(step.text for step in steps))
    question_of = dict(zip(stated, questions([_without_braces(text) for text in stated]), strict=True))
    return [[_pair(one, question_of) for one in group] for group in selected]


def pieces(trace: ClaimTrace, top_n: int) -> list[Piece]:
    """Return what the first `top_n` pairs of a trace are made of, in order.

    Steps are ordered by rank. Within a rank, the first pages of all steps come before their second pages, so that no
    step is displaced by another page.
    """
    paged = [(page, piece) for step in _distinct(trace) for page, piece in enumerate(_by_page(step))]
    paged.sort(key=lambda one: (_rank(one[1].step), one[0]))
    return [piece for _, piece in paged[:top_n]]


def _by_page(step: StepTrace) -> Iterator[Piece]:
    """Yield the step with the sentences of each page that it cites, in the order of the pages' first sentences.

    A step that cites no page is yielded once, without sentences.
    """
    cited = _cited(step)
    if not cited:
        yield Piece(step)
    for url in dict.fromkeys(one.url for one in cited):
        yield Piece(step, url, tuple(one.sentence for one in cited if one.url == url))


def _distinct(trace: ClaimTrace) -> list[StepTrace]:
    """Return the steps of a trace that can make a pair, sorted by rank.

    Of steps that are alike, only the first is returned.
    """
    distinct: list[StepTrace] = []
    for step in sorted(_voting(trace), key=_rank):
        if not any(alike(step, other) for other in distinct):
            distinct.append(step)
    return distinct


def _voting(trace: ClaimTrace) -> Iterator[StepTrace]:
    for place in trace.agreeing():
        yield from (step for step in trace.programs[place].steps if _is_askable(step.text))


def _is_askable(text: str) -> bool:
    return any(sign.isalpha() for sign in text) and not _PLACEHOLDER.search(text)


def _rank(step: StepTrace) -> int:
    """Return the rank of a step among the pairs: 0 if it is decisive, 1 if not, 2 without an answer."""
    if step.value in (None, Value.UNKNOWN):
        return 2
    return 0 if step.decisive else 1


def _pair(piece: Piece, question_of: Mapping[str, str]) -> QAPair:
    """Return the question-answer pair of a step and a page.

    `question_of` maps the text of each Verify to its yes-no question.
    """
    text = piece.step.text
    question = _without_braces(text) if piece.step.function is Function.QUESTION else question_of[text]
    return QAPair(question, _answer(piece), piece.url)


def _without_braces(text: str) -> str:
    """Return the text without braces; a text that has none is returned unchanged."""
    return " ".join(text.replace("{", " ").replace("}", " ").split()) if _BRACE.search(text) else text


def _answer(piece: Piece) -> str:
    """Return the answer of a pair: the value of the step, followed by the sentences of the page."""
    value = piece.step.value
    if value in (None, Value.UNKNOWN):
        return NO_ANSWER
    asks = piece.step.function is Function.QUESTION
    answer = f"{str(value).removesuffix('.')}." if asks else _ANSWERS[Value(value)]
    return " ".join([answer, *piece.sentences])


def _cited(step: StepTrace) -> Sequence[StepEvidence]:
    """Return the sentences of the evidence that the step's answer cites; empty without an answer."""
    if step.value in (None, Value.UNKNOWN):
        return []
    return step.evidence[: 1 if step.function is Function.QUESTION else SENTENCES]


def alike(one: StepTrace, other: StepTrace) -> bool:
    """Return True if both steps have the same value and nearly the same sequence of words."""
    words, others = same(one.text).split(), same(other.text).split()
    return one.value == other.value and SequenceMatcher(None, words, others, autojunk=False).ratio() > ALIKE


STEP = "src.programs.execute_programs --predictions"
Record = Prediction | TwoLabelPrediction
VERDICT = {
    Value.TRUE: Verdict.SUPPORTED,
    Value.FALSE: Verdict.REFUTED,
    Value.UNKNOWN: Verdict.NOT_ENOUGH_EVIDENCE,
    Value.CONFLICTING: Verdict.CONFLICTING,
}


def prediction(trace: ClaimTrace, pairs: list[QAPair]) -> Prediction:
    """Return the prediction of a claim: the verdict from the vote of its programs, and the pairs as evidence.

    Its level (how precise the verdict is) is undecided, because the precision of programs was not measured.
    """
    return Prediction(trace.claim_id, trace.claim, pairs, VERDICT[trace.value], level=Level.UNDECIDED)


def two_label_prediction(trace: ClaimTrace, pairs: list[QAPair]) -> TwoLabelPrediction:
    return TwoLabelPrediction(trace.claim_id, trace.claim, pairs, TwoLabel.of(trace.value))


FORMS: dict[str, Callable[[ClaimTrace, list[QAPair]], Record]] = {
    "averitec": prediction,
    "hover": two_label_prediction,
}


class PredictionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the file of predictions: its path, its labels, and the number of pairs."""

    predictions: Annotated[Path | None, Flag("file of verdicts with the steps as evidence, one JSON list")] = None
    labels: Annotated[
        Literal["averitec", "hover"],
        Flag("labels of --predictions: four verdicts, or supports and refutes as in HOVER and FEVEROUS"),
    ] = "averitec"
    top_n: Annotated[Positive, Flag("question-answer pairs of a prediction, decisive ones first")] = 10

    def check(self, traces: Path, inputs: Mapping[str, Path]) -> None:
        """Check the settings of the file of predictions.

        `traces` is the output file of the step, `inputs` its input files. Raises InputError when an existing file would
        be lost, or when --labels or --top_n has no effect. Raises OutputError when the file could not be written.
        """
        if self.predictions is None:
            refuse_unread(self, ("labels", "top_n"), "goes with --predictions")
            return
        protected = {"output_file": traces, "output_file's missing steps": missing_path(traces), **inputs}
        check_output(self.predictions, protected, "file of predictions")
        check_replaced(self.predictions, STEP, "file of predictions")


def write_predictions(settings: PredictionSettings, traces: Path) -> None:
    """Write the predictions from a file of traces, with a manifest and the failures of the traces.

    Raises OutputError when the file cannot be written, and the MissingExtra of `evidence_pairs`.
    """
    assert settings.predictions is not None
    began = time.perf_counter()
    claims = read_traces(traces)
    pairs = evidence_pairs(claims, settings.top_n)
    records = [FORMS[settings.labels](*both) for both in zip(claims, pairs, strict=True)]
    made = fingerprint(STEP, settings, {"trace": traces}, [trace.claim_id for trace in claims])
    manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
    write_output(settings.predictions, list_pieces(records), read_failures(traces), manifest)
