"""What programs leave in files, one typed record each: their texts, what became of them, predictions with two labels.

`docs/formats.md` lists every field of every file.
"""

from enum import StrEnum

import msgspec

from src.records import ClaimId, QAPair, Value

_VALUES = tuple(Value)


class Function(StrEnum):
    """What a step calls."""

    QUESTION = "Question"
    VERIFY = "Verify"


class DiagnosticKind(StrEnum):
    """What was repaired in a program, and why something in it is unknown; there are no others."""

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
    """`line` counts from 1 in the program's text as it was received."""

    kind: DiagnosticKind
    line: int
    message: str


class ClaimPrograms(msgspec.Struct, omit_defaults=True):
    """The programs of a claim, as texts. `fallback` says of each whether it only verifies the claim as a whole."""

    claim_id: ClaimId
    claim: str
    programs: list[str]
    fallback: list[bool] = []


class StepEvidence(msgspec.Struct, frozen=True):
    """A sentence that a step was answered from; `url` is a page's address or its title, `score` compares within one
    step."""

    sentence: str
    url: str
    score: float

    @property
    def title(self) -> str:
        """Empty where the url is an address."""
        return "" if "://" in self.url else self.url


class StepTrace(msgspec.Struct):
    """A step with its variables filled in. A Question's value is its answer, None where there is none; that of a Verify
    is one of the four.

    `uses` are the places, from 0, of the steps whose answers stand in its text. `confidence` is 0 to 1.
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
        """Raises ValueError, which readers tell with the place in their file."""
        if self.function is Function.VERIFY and self.value not in _VALUES:
            raise ValueError(f"{self.value!r} is none of the values of a Verify: {', '.join(_VALUES)}")


class ProgramTrace(msgspec.Struct):
    """`label` is what Predict was asked, None where that could not be read."""

    value: Value
    steps: list[StepTrace]
    diagnostics: list[Diagnostic]
    label: str | None = None


class ClaimTrace(msgspec.Struct):
    """What became of a claim's programs. `vote_share` is the part of all of them that voted for the claim's value."""

    claim_id: ClaimId
    claim: str
    value: Value
    vote_share: float
    model_calls: int
    programs: list[ProgramTrace]

    def agreeing(self) -> list[int]:
        """Return the places of the programs that voted for the claim's value; where none has a label, of all that have
        this value. Where the published vote made it false and no program is, those that are not true."""
        same = [at for at, one in enumerate(self.programs) if one.value is self.value]
        if not same and self.value is Value.FALSE:
            same = [at for at, one in enumerate(self.programs) if one.value is not Value.TRUE]
        return [at for at in same if self.programs[at].label is not None] or same


def without_result(claim_id: int, claim: str) -> ClaimTrace:
    """Of a claim that failed: unknown, by no program."""
    return ClaimTrace(claim_id, claim, Value.UNKNOWN, 0.0, 0, [])


class TwoLabel(StrEnum):
    """The labels of HOVER and FEVEROUS-S as ProgramFC spells them; in HOVER the second means "not supported"."""

    SUPPORTS = "supports"
    REFUTES = "refutes"

    @classmethod
    def of(cls, value: Value) -> "TwoLabel":
        """What is not true is not supported: false, unknown or conflicting."""
        return cls.SUPPORTS if value is Value.TRUE else cls.REFUTES


class TwoLabelPrediction(msgspec.Struct):
    """As `Prediction`, with the labels of HOVER and FEVEROUS-S."""

    claim_id: ClaimId
    claim: str
    evidence: list[QAPair]
    pred_label: TwoLabel
