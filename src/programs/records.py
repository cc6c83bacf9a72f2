"""Typed records of the files that programs write and read: program texts, traces, and predictions with two labels.

A trace is the record of an executed program or claim. `docs/formats.md` lists every field of every file.
"""

from enum import StrEnum

import msgspec

from src.records import ClaimId, QAPair, Value

_VALUES = tuple(Value)


class Function(StrEnum):
    """The function that a step of a program calls: Question asks for a name or a fact, Verify for a truth value."""

    QUESTION = "Question"
    VERIFY = "Verify"


class DiagnosticKind(StrEnum):
    """Kinds of diagnostics of a program: repairs made in it, and reasons why a value in it is unknown."""

    FUNCTION_CASE = "function-case"
    LABEL_BY_VERIFY = "label-by-verify"
    RENAMED_DUPLICATE = "renamed-duplicate"
    DUPLICATE_VARIABLE = "duplicate-variable"
    UNDEFINED_VARIABLE = "undefined-variable"
    UNRESOLVED_VARIABLE = "unresolved-variable"
    ANSWER_USED_AS_FACT = "answer-used-as-fact"
    FACT_IN_TEXT = "fact-in-text"
    UNSUPPORTED_EXPRESSION = "unsupported-expression"
    MISSING_PREDICT = "missing-predict"
    UNTERMINATED_STRING = "unterminated-string"
    ESCAPED_QUOTE = "escaped-quote"
    FORWARD_REFERENCE = "forward-reference"
    IGNORED_LINE = "ignored-line"
    NESTED_CALL = "nested-call"
    UNASSIGNED_CALL = "unassigned-call"
    SEVERAL_LABELS = "several-labels"
    LIMIT_EXCEEDED = "limit-exceeded"
    PARSE_ERROR = "parse-error"


class Diagnostic(msgspec.Struct, frozen=True):
    """One repair of a program, or one reason for an unknown value.

    `kind`: kind of the diagnostic.
    `line`: line in the text of the program as received, from 1.
    `message`: what was repaired, or why the value is unknown.
    """

    kind: DiagnosticKind
    line: int
    message: str


class ClaimPrograms(msgspec.Struct, omit_defaults=True):
    """The texts of a claim's programs.

    `programs`: the text of each program.
    `fallback`: for each program, True if it replaces one that could not be used, and only verifies the claim as a whole
    """

    claim_id: ClaimId
    claim: str
    programs: list[str]
    fallback: list[bool] = []


class StepEvidence(msgspec.Struct, frozen=True):
    """A sentence from which a step was answered.

    `sentence`: the sentence.
    `url`: address or title of its page.
    `score`: score of the retrieval; scores of different steps are not comparable.
    """

    sentence: str
    url: str
    score: float

    @property
    def title(self) -> str:
        """Return the title of the sentence's page; empty if `url` is an address."""
        return "" if "://" in self.url else self.url


class StepTrace(msgspec.Struct):
    """Record of an executed step of a program.

    `variable`: the variable that gets the value; None if there is none.
    `function`: the function that the step calls.
    `line`: line in the program, from 1.
    `text`: the argument of the step's function, with all variables filled in.
    `value`: of a Question its answer, or None without one; of a Verify one of the four values of `Value`.
    `evidence`: the sentences from which the step was answered.
    `decisive`: True if the step decides the value of the program.
    `uses`: indexes (from 0) of the steps whose answers were filled into the text.
    `confidence`: confidence of the answer, 0 to 1.
    """

    variable: str | None
    function: Function
    line: int
    text: str
    value: str | None
    evidence: list[StepEvidence] = []
    decisive: bool = False
    uses: list[int] = []
    confidence: float = 0.0

    def __post_init__(self) -> None:
        """Raise ValueError if the value of a Verify is not one of `Value`.

        Readers of files add file and line to the message.
        """
        if self.function is Function.VERIFY and self.value not in _VALUES:
            raise ValueError(f"{self.value!r} is none of the values of a Verify: {', '.join(_VALUES)}")


class ProgramTrace(msgspec.Struct):
    """Record of an executed program.

    `value`: the value that the steps and the label give.
    `steps`: its executed steps.
    `diagnostics`: repairs of the program, and reasons for unknown values.
    `label`: the argument of Predict, an expression over the steps' variables; None if it could not be read.
    """

    value: Value
    steps: list[StepTrace]
    diagnostics: list[Diagnostic]
    label: str | None = None


class ClaimTrace(msgspec.Struct):
    """Record of the executed programs of a claim, and of the value that they voted for.

    `claim_id`, `claim`: number and text of the claim.
    `value`: the value of the claim.
    `vote_share`: share of all programs that voted for this value, 0 to 1.
    `model_calls`: number of calls to models for this claim.
    `programs`: record of each executed program.
    """

    claim_id: ClaimId
    claim: str
    value: Value
    vote_share: float
    model_calls: int
    programs: list[ProgramTrace]

    def agreeing(self) -> list[int]:
        """Return the indexes (from 0) of the programs that voted for the claim's value.

        Programs without a readable label do not vote; they are returned only if no other program has the value. By the
        published rule, a claim can be false although no program is false; then all programs that are not true count.
        """
        same = [at for at, one in enumerate(self.programs) if one.value is self.value]
        if not same and self.value is Value.FALSE:
            same = [at for at, one in enumerate(self.programs) if one.value is not Value.TRUE]
        return [at for at in same if self.programs[at].label is not None] or same


def without_result(claim_id: int, claim: str) -> ClaimTrace:
    """Return the trace of a claim that failed: its value is unknown, and it has no programs."""
    return ClaimTrace(claim_id, claim, Value.UNKNOWN, 0.0, 0, [])


class TwoLabel(StrEnum):
    """The labels of HOVER and FEVEROUS-S as ProgramFC spells them; in HOVER, "refutes" means "not supported"."""

    SUPPORTS = "supports"
    REFUTES = "refutes"

    @classmethod
    def of(cls, value: Value) -> "TwoLabel":
        """Return the label of a value: SUPPORTS for true, and REFUTES for false, unknown and conflicting."""
        return cls.SUPPORTS if value is Value.TRUE else cls.REFUTES


class TwoLabelPrediction(msgspec.Struct):
    """A prediction with the labels of HOVER and FEVEROUS-S; its other fields are those of `Prediction`."""

    claim_id: ClaimId
    claim: str
    evidence: list[QAPair]
    pred_label: TwoLabel
