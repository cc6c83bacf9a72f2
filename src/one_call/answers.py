"""The reply to one call about a claim: its JSON schema, and its parser.

The keys are in the order in which a model should write: it quotes a source before it asks and answers, and gives its
reasons before its ratings.

Limitations: a reply without a complete JSON object is not used, not even in part.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from src.errors import FactCheckError
from src.json_decoding import decode
from src.llm.protocol import Reply
from src.records import Verdict
from src.store import storable

MOST_PAIRS, MOST_REASONS = 12, 8  # that an engine which follows the schema lets the model write
Rating = Annotated[int, msgspec.Meta(ge=1, le=5)]


class WrittenPair(msgspec.Struct, frozen=True):
    """A question-answer pair as the model wrote it.

    `source`: number of the source that answers, from 1.
    `quote`: the words of the source that answer.
    """

    source: int
    quote: str
    question: str
    answer: str


class WrittenReason(msgspec.Struct, frozen=True):
    """A sentence of the justification, with the numbers of the sources that it rests on."""

    sentence: str
    sources: list[int]


class Ratings(msgspec.Struct, frozen=True):
    """Agreement with each label, from 1 (strongly disagree) to 5 (strongly agree)."""

    supported: Rating
    refuted: Rating
    not_enough_evidence: Rating
    conflicting_evidence_or_cherrypicking: Rating

    def by_verdict(self) -> dict[Verdict, int]:
        """Return the rating of each verdict."""
        return {
            Verdict.SUPPORTED: self.supported,
            Verdict.REFUTED: self.refuted,
            Verdict.NOT_ENOUGH_EVIDENCE: self.not_enough_evidence,
            Verdict.CONFLICTING: self.conflicting_evidence_or_cherrypicking,
        }


class ClaimAnswer(msgspec.Struct, frozen=True):
    """A parsed reply about a claim."""

    questions: Annotated[list[WrittenPair], msgspec.Meta(extra_json_schema={"maxItems": MOST_PAIRS})]
    justification: Annotated[list[WrittenReason], msgspec.Meta(extra_json_schema={"maxItems": MOST_REASONS})]
    agreement: Ratings


class UnusableAnswerError(FactCheckError):
    """Raised for a reply that cannot be used. The message says why, as the end of "It cannot be used: …"."""


def _schema() -> str:
    """Return the JSON schema of `ClaimAnswer`: an object without further keys, as OpenAI's strict mode asks for."""
    _, components = msgspec.json.schema_components((ClaimAnswer,), ref_template="#/$defs/{name}")
    plain = {name: _plain(component) for name, component in components.items()}
    return msgspec.json.encode({**plain.pop(ClaimAnswer.__name__), "$defs": plain}).decode()


def _plain(component: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object's schema without the texts of docstrings, so that those may change."""
    return {name: value for name, value in component.items() if name not in ("title", "description")} | {
        "additionalProperties": False
    }


SCHEMA = _schema()


def read_answer(reply: Reply) -> ClaimAnswer:
    """Return the parsed reply. Raises UnusableAnswerError.

    Text before and behind the JSON object is ignored, such as a code fence.
    """
    text = storable(reply.text)
    first, last = text.find("{"), text.rfind("}")
    try:
        return decode(text[first : last + 1] if first >= 0 else "", ClaimAnswer)
    except msgspec.DecodeError as error:
        if reply.stopped == "length":
            raise UnusableAnswerError("it was cut off because it was too long") from None
        if last < first or first < 0:
            raise UnusableAnswerError("it has no JSON object") from None
        raise UnusableAnswerError(f"its JSON is not as described ({error})") from None
