"""The nouns of the project, one typed record each, spelled as the published files spell them.

Fields that a published file may lack have defaults and are left out when written with their default. Unknown fields
in a file are ignored on reading. `docs/formats.md` lists every field of every file.

But: what programs leave in files is `src/programs/records.py`.
"""

from enum import StrEnum
from typing import Annotated

import msgspec

# Claim has -1 where a file gives none; given in a file, a number below 0, or of more than 64 bits, is refused
MOST_ID = 2**63 - 1
ClaimId = Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)]
Said = Annotated[str, msgspec.Meta(pattern=r"\S")]  # a text that is not empty


class Verdict(StrEnum):
    """The four labels of AVeriTeC, in the order of the published class ids 0 to 3."""

    SUPPORTED = "Supported"
    REFUTED = "Refuted"
    NOT_ENOUGH_EVIDENCE = "Not Enough Evidence"
    CONFLICTING = "Conflicting Evidence/Cherrypicking"


VERDICTS: tuple[Verdict, ...] = tuple(Verdict)


class Level(StrEnum):
    """How far a verdict may be relied on: decided on held-out claims, and kept with the verdict model."""

    FIRM = "firm"
    LEANING = "leaning"
    UNDECIDED = "undecided"


class Side(StrEnum):
    """What a piece of evidence does to a claim. `REPEATS`: it says the claim again without proof, and counts for
    nothing."""

    FOR = "for"
    AGAINST = "against"
    NEITHER = "neither"
    REPEATS = "repeats the claim"


class OverruledBy(StrEnum):
    """What named another verdict than the most probable one.

    BIASES: of a trained model, fitted on held-out claims in favor of rare verdicts. REASONING: of a language model,
    whose scores of the verdicts give the probabilities.
    """

    BIASES = "biases"
    REASONING = "reasoning"


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
    claim_id: ClaimId = -1
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


class RankedSentences(msgspec.Struct, omit_defaults=True):
    """The best sentences for a claim, best first: at most `top_k`, fewer where the store holds fewer.

    `speaker`, here and in what is made of it: who made the claim, whose own words are no evidence for it; "" where that
    is not known or does not matter.
    """

    claim_id: ClaimId
    claim: str
    top_k: int
    sentences: list[Sentence]
    speaker: str = ""


class CandidateQA(msgspec.Struct, array_like=True):
    """A generated question with the sentence that answers it: `[question, answer, url]` in the file."""

    question: str
    answer: str
    url: str


class CandidateQuestions(msgspec.Struct, omit_defaults=True):
    """All candidates for a claim, in the order of the sentences."""

    claim_id: ClaimId
    claim: str
    bm25_qau: list[CandidateQA]
    speaker: str = ""


class QAPair(msgspec.Struct):
    """A question-answer pair used as evidence, with the page of its answer; only submissions have `scraped_text`."""

    question: str
    answer: str
    url: str = ""
    scraped_text: str | msgspec.UnsetType = msgspec.UNSET


class Evidence(msgspec.Struct, omit_defaults=True):
    """The evidence chosen for a claim, best first."""

    claim_id: ClaimId
    claim: str
    evidence: list[QAPair]
    speaker: str = ""


class Prediction(msgspec.Struct, omit_defaults=True):
    """Evidence with a verdict. `probabilities` maps every verdict to its probability where the model gives one.

    `level` says how far the verdict may be relied on, `verdict_set` has the verdicts that are not ruled out; None
    where the model cannot tell. `justification` is the explanation, or what a language model wrote before its verdict.
    `overruled_by` says why the verdict is not the most probable one; None where it is, or where that is not known.
    `sides` says what each of the first pairs does to the claim; None where the verdict model does not tell.
    """

    claim_id: ClaimId
    claim: str
    evidence: list[QAPair]
    pred_label: Verdict
    probabilities: dict[Verdict, float] | None = None
    justification: str | None = None
    level: Level | None = None
    verdict_set: list[Verdict] | None = None
    overruled_by: OverruledBy | None = None
    sides: list[Side] | None = None
    speaker: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError, which readers tell with the place in their file."""
        if self.probabilities and self.pred_label not in self.probabilities:
            raise ValueError(f"probabilities has no {self.pred_label}, the pred_label; give one to each verdict")


class Value(StrEnum):
    """What a claim of HOVER or FEVEROUS-S, a step that verifies, a program and a vote may be."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"
    CONFLICTING = "conflicting"
