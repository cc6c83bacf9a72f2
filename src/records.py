"""Records of the data files: claims, URLs, pages, evidence, predictions; field names are the published ones.

Fields that a published file may lack have defaults. A field with its default value is not written. Unknown fields in a
file are ignored. `docs/formats.md` lists every field of every file.

Limitations: the files that programs write are described by `src/programs/records.py`.
"""

from enum import StrEnum
from typing import Annotated

import msgspec

# Claim.claim_id is -1 if the file gives no id. A negative id in a file, or one of more than 63 bits, is an error.
MOST_ID = 2**63 - 1
ClaimId = Annotated[int, msgspec.Meta(ge=0, le=MOST_ID)]
NonBlank = Annotated[str, msgspec.Meta(pattern=r"\S")]  # a text that is not blank


class Verdict(StrEnum):
    """The four labels of AVeriTeC, in the order of the published class ids 0 to 3."""

    SUPPORTED = "Supported"
    REFUTED = "Refuted"
    NOT_ENOUGH_EVIDENCE = "Not Enough Evidence"
    CONFLICTING = "Conflicting Evidence/Cherrypicking"


VERDICTS: tuple[Verdict, ...] = tuple(Verdict)


class Level(StrEnum):
    """Reliability of a verdict. Its thresholds are fitted on held-out claims and saved with the verdict model."""

    FIRM = "firm"
    LEANING = "leaning"
    UNDECIDED = "undecided"


class Side(StrEnum):
    """Stance of a piece of evidence toward the claim.

    `REPEATS`: the evidence repeats the claim without proof and is not counted.
    """

    FOR = "for"
    AGAINST = "against"
    NEITHER = "neither"
    REPEATS = "repeats the claim"


class OverruledBy(StrEnum):
    """Reason why a predicted verdict is not the most probable one.

    `BIASES`: a trained model adds biases in favor of rare verdicts, fitted on held-out claims.
    `REASONING`: a language model chose another verdict in its reasoning than by its scores, which give the
    probabilities.
    """

    BIASES = "biases"
    REASONING = "reasoning"


class AnswerType(StrEnum):
    EXTRACTIVE = "Extractive"
    ABSTRACTIVE = "Abstractive"
    BOOLEAN = "Boolean"
    UNANSWERABLE = "Unanswerable"


class Answer(msgspec.Struct, omit_defaults=True):
    """A gold answer of AVeriTeC.

    `answer`: text of the answer.
    `answer_type`: kind of the answer.
    `source_url`, `source_medium`, `cached_source_url`: page of the answer, kind of its content, and its archived copy.
    `boolean_explanation`: reason for the answer; only Boolean answers have one.
    """

    answer: str
    answer_type: AnswerType | None = None
    source_url: str | None = None
    source_medium: str | None = None
    cached_source_url: str | None = None
    boolean_explanation: str | None = None


class Question(msgspec.Struct):
    """A gold question of AVeriTeC.

    `question`: text of the question.
    `answers`: its gold answers.
    """

    question: str
    answers: list[Answer] = []


class Claim(msgspec.Struct, omit_defaults=True):
    """A claim of data/SPLIT.json. The test split has neither labels nor questions.

    `claim`: text of the claim.
    `claim_id`: number of the claim; if the file gives none, the claim's index in the file (from 0).
    `label`, `justification`: gold verdict and its reason.
    `claim_date`: day on which the claim was made, day-month-year.
    `speaker`: who made the claim.
    `original_claim_url`, `cached_original_claim_url`: page of the claim and its archived copy.
    `fact_checking_article`: the article that checked the claim.
    `reporting_source`: medium in which the claim was made.
    `location_ISO_code`: country that the claim is about.
    `claim_types`, `fact_checking_strategies`: kinds of claim, and ways in which the article checked it.
    `required_reannotation`: whether the claim was annotated a second time.
    `questions`: gold questions with their answers.
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
    """One row of `SPLIT_store/<id>.tsv`: a URL found by a search for the claim, with the query and its kind."""

    claim_id: str
    type: str
    url: str
    query: str


class Document(msgspec.Struct, kw_only=True):
    """One line of a knowledge store: a URL and the sentences of its page, in `url2text` (none if it was not read)."""

    claim_id: str = ""
    type: str = ""
    query: str = ""
    url: str
    url2text: list[str]


class Sentence(msgspec.Struct):
    """A sentence of the knowledge store.

    `sentence`: the sentence, or a passage.
    `url`: URL of its page.
    """

    sentence: str
    url: str


class Paragraph(msgspec.Struct, frozen=True):
    """A paragraph of a Wikipedia corpus such as HOVER's or FEVEROUS's, with the title of its page."""

    title: str
    text: str


class Reason(msgspec.Struct):
    """Scores of a sentence in hybrid retrieval. Scores for different claims are not comparable.

    `relevance`: final score.
    `bm25`, `bm25_rank`: lexical score, and rank by it among the candidates, from 1.
    `cosine`, `cosine_rank`: similarity of the embeddings, and rank by it among the candidates, from 1.
    """

    relevance: float
    bm25: float
    bm25_rank: int
    cosine: float
    cosine_rank: int


class ChosenSentence(Sentence, omit_defaults=True):
    """A sentence of hybrid retrieval.

    `before`, `after`: the sentences before and after it on its page; empty if there is none, or if the sentence is a
        passage.
    `reason`: its scores; None if the retriever gives none.
    """

    before: str = ""
    after: str = ""
    reason: Reason | None = None


class RankedSentences(msgspec.Struct, omit_defaults=True):
    """The best sentences for a claim, best first: `top_k`, or fewer if the store contains fewer.

    `speaker` is who made the claim, or "" if the speaker is unknown or does not matter. It is copied to all records
    made from this one, because what the speaker says is not evidence for the claim.
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
    """All candidate questions for a claim, in the order of the sentences."""

    claim_id: ClaimId
    claim: str
    bm25_qau: list[CandidateQA]
    speaker: str = ""


class QAPair(msgspec.Struct):
    """A question-answer pair used as evidence.

    `question`: the question.
    `answer`: its answer, from the page.
    `url`: URL of the answer's page.
    `scraped_text`: text of the page; only files of submissions have it.
    """

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
    """Predicted verdict of a claim, with its evidence. Fields that the verdict model does not give are None.

    `evidence`: question-answer pairs, best first.
    `pred_label`: predicted verdict.
    `probabilities`: probability of every verdict.
    `justification`: explanation of the verdict, or what a language model wrote before its verdict.
    `level`: reliability of the verdict.
    `verdict_set`: verdicts that are not ruled out.
    `overruled_by`: reason why the verdict is not the most probable one; None if it is.
    `sides`: stance of each of the first pairs toward the claim.
    `speaker`: who made the claim, or "".
    `quote_fits`: for each pair, how well the quote that a language model gave for it fits its source, from 0 to 1.
    `unnamed`: the name that the claim is about, if none of the evidence has it; the verdict is then undecided.
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
    quote_fits: list[float] | None = None
    unnamed: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError if `probabilities` lacks the verdict; readers of files add the line to the message."""
        if self.probabilities and self.pred_label not in self.probabilities:
            raise ValueError(f"probabilities has no {self.pred_label}, the pred_label; give one to each verdict")


class Value(StrEnum):
    """Truth value of a claim of HOVER or FEVEROUS-S, of a verification step, of a program or of a vote."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"
    CONFLICTING = "conflicting"
