"""Whether a stop string stands in what a row has said so far, asked after every token without decoding every time.

A stop string can only have come whole with a token that holds its last character, or with one that ends amid a
character. Which tokens those are is found out once for each that is ever said; only after those is the text decoded.

But: a stop string that ends in white space is looked for after every token, since a tokenizer may hide it.
"""

from collections.abc import Sequence
from typing import Any

from src.llm.protocol import Reading
from src.llm.replies import first_stop

EVERY = 16  # tokens after which the length of the text is looked at
BROKEN = "\ufffd"  # what a decoder writes for bytes that are no character yet


class Stopping:
    """For one tokenizer and one set of stop strings.

    Only the last tokens are decoded: as many as the longest stop string has bytes, plus one, for a token stands for at
    least one byte.
    """

    def __init__(self, tokenizer: Any, stop: Sequence[str], reading: Reading | None = None) -> None:
        self._tokenizer = tokenizer
        self._stop = [text for text in (*stop, reading.until if reading else "") if text]
        self._characters = reading.characters if reading else None
        self._last = {text[-1] for text in self._stop} | {BROKEN}
        self._always = any(text[-1].isspace() for text in self._stop)
        self.tail = max((len(text.encode()) for text in self._stop), default=0) + 1
        self._suspect: dict[int, bool] = {}

    def ended(self, said: Sequence[int]) -> bool:
        """Whether the last of these new tokens has brought a stop string, or nothing more of them would be read."""
        if self._characters is not None and said and len(said) % EVERY == 0:
            text = self._tokenizer.decode(list(said), skip_special_tokens=True)
            if len(text.rstrip(BROKEN)) >= self._characters:
                return True
        if not self._stop or not said or not (self._always or self._is_suspect(said[-1])):
            return False
        text = self._tokenizer.decode(list(said[-self.tail :]), skip_special_tokens=True)
        return first_stop(text, self._stop) >= 0

    def _is_suspect(self, token: int) -> bool:
        if token not in self._suspect:
            text = self._tokenizer.decode([token], skip_special_tokens=True)
            self._suspect[token] = not self._last.isdisjoint(text)
        return self._suspect[token]
