"""JSON in a language model's reply: the object that counts, and the prompt for another reply if there is none."""

import json
import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from src.errors import FactCheckError
from src.json_decoding import decode
from src.llm.protocol import Reply
from src.store import storable

Answer = TypeVar("Answer")
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)


def json_objects(text: str) -> Iterator[str]:
    """Yield the JSON objects of a text, in order, without those inside another one.

    Other text is skipped, such as a code fence.
    """
    text = storable(text)
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield text[at:end]
        at = text.find("{", end)


def _without_thoughts(text: str) -> str:
    """Return a reply without the thoughts of the model between <think> and </think>, even if one of the two is missing.

    In an object at the beginning, these words are a quote.
    """
    text = text.lstrip()
    head = next(json_objects(text), "") if text.startswith("{") else ""
    head, rest = (head, text[len(head) :]) if text.startswith(head) else ("", text)
    return head + _THOUGHT.sub("", rest).rpartition("</think>")[2].partition("<think>")[0]


class UnreadableReplyError(FactCheckError):
    """Raised for a reply that cannot be read. The message says why, as `asked_again` needs it."""


def last_object(reply: Reply, kind: type[Answer]) -> Answer:
    """Return the last JSON object of a reply that has the fields of `kind`, the model's thoughts aside.

    Raises UnreadableReplyError.
    """
    wrong = "it has no JSON object"
    for text in reversed(list(json_objects(_without_thoughts(reply.text)))):
        try:
            return decode(text, kind)
        except msgspec.DecodeError as error:
            wrong = f"its JSON is not as described ({error})"
    raise UnreadableReplyError("it was cut off because it was too long" if reply.stopped == "length" else wrong)


def asked_again(prompt: str, reason: str) -> str:
    """Return the prompt for a second reply, after a first one that could not be used."""
    return f"{prompt}\n\nAn earlier reply cannot be used: {reason}. Reply once more, with a whole JSON object."
