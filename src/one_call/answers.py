"""The reply to one call about a claim: its JSON schema, and its parser.

The keys are in the order in which a model should write: it quotes a source before it asks and answers, and gives its
reasons before its ratings.

Limitations: a reply without a complete JSON object is not used, not even in part.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Annotated, Any

import msgspec

from src.errors import FactCheckError
from src.json_decoding import decode
from src.llm.json_replies import UnreadableReplyError, json_objects, last_object
from src.llm.protocol import Reply
from src.records import Verdict

MOST_REASONS = 8  # sentences of a justification, for engines that follow the schema
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

    questions: list[WrittenPair]
    justification: list[WrittenReason]
    agreement: Ratings


class UnusableAnswerError(FactCheckError):
    """Raised for a reply that cannot be used. The message says why, as the end of "It cannot be used: …".

    `counts`: the pairs that were dropped, by reason.
    """

    def __init__(self, message: str, counts: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.counts = counts or {}


@cache
def schema(pairs: int) -> str:
    """Return the JSON schema of `ClaimAnswer` with at most `pairs` pairs, as OpenAI's strict mode asks for."""
    _, components = msgspec.json.schema_components((ClaimAnswer,), ref_template="#/$defs/{name}")
    plain = {name: _plain(component) for name, component in components.items()}
    root = plain.pop(ClaimAnswer.__name__)
    root["properties"]["questions"]["maxItems"] = pairs
    root["properties"]["justification"]["maxItems"] = MOST_REASONS
    return msgspec.json.encode({**root, "$defs": plain}).decode()


def _plain(component: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object's schema without the texts of docstrings, so that those may change."""
    return {name: value for name, value in component.items() if name not in ("title", "description")} | {
        "additionalProperties": False
    }


def read_answer(reply: Reply) -> ClaimAnswer:
    """Return the last JSON object of a reply that is an answer. Raises UnusableAnswerError.

    Other text is ignored, such as a code fence, and so are the thoughts of a model between <think> and </think>.
    """
    try:
        return last_object(reply, ClaimAnswer)
    except UnreadableReplyError as error:
        raise UnusableAnswerError(str(error)) from None


def answers_in(text: str) -> Iterator[ClaimAnswer]:
    """Yield the answers that a text contains, such as a page that has one ready."""
    for one in json_objects(text):
        with suppress(msgspec.DecodeError):
            yield decode(one, ClaimAnswer)
