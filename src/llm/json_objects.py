"""JSON objects in a language model's reply."""

import json
import re
from collections.abc import Iterator

from src.store import storable

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)


def json_objects(text: str) -> Iterator[str]:
    """Yield the JSON objects of a text, in order, without those inside another one.

    Other text is skipped, such as a code fence, and so are the thoughts of a model between <think> and </think>.
    """
    text = _THOUGHT.sub("", storable(text))
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield text[at:end]
        at = text.find("{", end)
