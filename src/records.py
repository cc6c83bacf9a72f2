"""The nouns of the project, one typed record each, spelled as the published files spell them.

Fields that a published file may lack have defaults and are left out when written with their default. Unknown fields
in a file are ignored on reading. `data_store/README.md` lists every field of every file.
"""

from enum import StrEnum

import msgspec


class Verdict(StrEnum):
    """The four labels of AVeriTeC, in the order of the published class ids 0 to 3."""

    SUPPORTED = "Supported"
    REFUTED = "Refuted"
    NOT_ENOUGH_EVIDENCE = "Not Enough Evidence"
    CONFLICTING = "Conflicting Evidence/Cherrypicking"


VERDICTS: tuple[Verdict, ...] = tuple(Verdict)


class AnswerType(StrEnum):
    EXTRACTIVE = "Extractive"
    ABSTRACTIVE = "Abstractive"
    BOOLEAN = "Boolean"
    UNANSWERABLE = "Unanswerable"


class Answer(msgspec.Struct, omit_defaults=True):
    """A gold answer. `boolean_explanation` stands on Boolean answers only."""

    answer: str
    answer_type: AnswerType | None = None
    source_url: str | None = None
    source_medium: str | None = None
    cached_source_url: str | None = None
    boolean_explanation: str | None = None


class Question(msgspec.Struct):
    question: str
    answers: list[Answer] = []


class Claim(msgspec.Struct, omit_defaults=True):
    """A claim of data/SPLIT.json. `claim_id` is the 0-based place in the file where the file gives none.

    The test split has neither label nor questions. `claim_date` is day-month-year.
    """

    claim: str
    claim_id: int = -1
    label: Verdict | None = None
    justification: str | None = None
    claim_date: str | None = None
    speaker: str | None = None
    original_claim_url: str | None = None
    cached_original_claim_url: str | None = None
    fact_checking_article: str | None = None
    reporting_source: str | None = None
    location_ISO_code: str | None = None  # noqa: N815 - the published spelling
    claim_types: list[str] = []
    fact_checking_strategies: list[str] = []
    required_reannotation: bool | None = None
    questions: list[Question] = []


class UrlRow(msgspec.Struct, frozen=True):
    """One row of `SPLIT_store/<id>.tsv`: a URL that a search for the claim found, by which kind of query and words."""

    claim_id: str
    type: str
    url: str
    query: str


class Document(msgspec.Struct, kw_only=True):
    """One line of a knowledge store: a URL and the sentences scraped from it (none when it could not be read)."""

    claim_id: str = ""
    type: str = ""
    query: str = ""
    url: str
    url2text: list[str]


class Sentence(msgspec.Struct):
    """A sentence of the knowledge store with the page it stands on."""

    sentence: str
    url: str


class Paragraph(msgspec.Struct, frozen=True):
    """A titled paragraph of a corpus, as HOVER and FEVEROUS take it from Wikipedia."""

    title: str
    text: str


class Reason(msgspec.Struct):
    """Why hybrid retrieval chose a sentence: its relevance, and what it was by words and by meaning.

    `bm25_rank` and `cosine_rank` count from 1 among the candidates; scores compare within one claim only.
    """

    relevance: float
    bm25: float
    bm25_rank: int
    cosine: float
    cosine_rank: int


class ChosenSentence(Sentence, omit_defaults=True):
    """A sentence of hybrid retrieval, with its neighbours on the page ("" where there is none)."""

    before: str = ""
    after: str = ""
    reason: Reason | None = None


class RankedSentences(msgspec.Struct):
    """The best sentences for a claim, best first: at most `top_k`, fewer where the store holds fewer."""

    claim_id: int
    claim: str
    top_k: int
    sentences: list[Sentence]


class CandidateQA(msgspec.Struct, array_like=True):
    """A generated question with the sentence that answers it: `[question, answer, url]` in the file."""

    question: str
    answer: str
    url: str


class CandidateQuestions(msgspec.Struct):
    """All candidates for a claim, in the order of the sentences."""

    claim_id: int
    claim: str
    bm25_qau: list[CandidateQA]


class QAPair(msgspec.Struct):
    """A question-answer pair used as evidence. `url` may be a list; only submissions have `scraped_text`."""

    question: str
    answer: str
    url: str | list[str] = ""
    scraped_text: str | msgspec.UnsetType = msgspec.UNSET


class Evidence(msgspec.Struct):
    """The evidence chosen for a claim, best first."""

    claim_id: int
    claim: str
    evidence: list[QAPair]


class Prediction(msgspec.Struct, omit_defaults=True):
    """Evidence with a verdict. `probabilities` maps every verdict to its probability where the model gives one."""

    claim_id: int
    claim: str
    evidence: list[QAPair]
    pred_label: Verdict
    probabilities: dict[Verdict, float] | None = None
    justification: str | None = None


class TwoLabel(StrEnum):
    """The labels of HOVER and FEVEROUS-S as ProgramFC spells them; in HOVER the second means "not supported"."""

    SUPPORTS = "supports"
    REFUTES = "refutes"


class TwoLabelPrediction(msgspec.Struct):
    """As `Prediction`, with the labels of HOVER and FEVEROUS-S."""

    claim_id: int
    claim: str
    evidence: list[QAPair]
    pred_label: TwoLabel


class Value(StrEnum):
    """What a step that verifies, a program and a vote may be."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"
    CONFLICTING = "conflicting"


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

    claim_id: int
    claim: str
    programs: list[str]
    fallback: list[bool] = []


class StepEvidence(msgspec.Struct, frozen=True):
    """A sentence that a step was answered from; `score` compares within one step."""

    sentence: str
    url: str
    score: float


class StepTrace(msgspec.Struct):
    """A step with its variables filled in. A Question's value is its answer, None where there is none.

    `uses` are the places, from 0, of the steps whose answers stand in its text. `confidence` is 0 to 1.
    """

    variable: str | None
    function: str
    line: int
    text: str
    value: str | None
    evidence: list[StepEvidence] = []
    decisive: bool = False
    uses: list[int] = []
    confidence: float = 0.0


class ProgramTrace(msgspec.Struct):
    """`label` is what Predict was asked, None where that could not be read."""

    value: Value
    steps: list[StepTrace]
    diagnostics: list[Diagnostic]
    label: str | None = None


class ClaimTrace(msgspec.Struct):
    """What became of a claim's programs. `vote_share` is the part of them that has the claim's value."""

    claim_id: int
    claim: str
    value: Value
    vote_share: float
    model_calls: int
    programs: list[ProgramTrace]
