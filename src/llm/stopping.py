"""Detection of stop strings after every token, without decoding every time.

A stop string can only be complete after a token that contains its last character, or one that ends inside a character.
This property is determined once for each token that occurs; the text is decoded only after such tokens.

Limitations: a stop string that ends in white space is looked for after every token, since a tokenizer may hide it.
"""

from collections.abc import Sequence
from typing import Any

from src.llm.replies import first_stop

BROKEN = "\ufffd"  # what a decoder writes for bytes that are no character yet


class Stopping:
    """Stop detection for one tokenizer and one set of stop strings.

    Only the last tokens are decoded: as many as the longest stop string has bytes, plus one, since a token is at least
    one byte.
    """

    def __init__(self, tokenizer: Any, stop: Sequence[str]) -> None:
        self._tokenizer = tokenizer
        self._stop = [text for text in stop if text]
        self._last = {text[-1] for text in self._stop} | {BROKEN}
        self._always = any(text[-1].isspace() for text in self._stop)
        self.tail = max((len(text.encode()) for text in self._stop), default=0) + 1
        self._suspect: dict[int, bool] = {}

    def ended(self, tokens: Sequence[int]) -> bool:
        """Return True if the last of the new `tokens` completes a stop string."""
        if not self._stop or not tokens or not (self._always or self._is_suspect(tokens[-1])):
            return False
        text = self._tokenizer.decode(list(tokens[-self.tail :]), skip_special_tokens=True)
        return first_stop(text, self._stop) >= 0

    def _is_suspect(self, token: int) -> bool:
        if token not in self._suspect:
            text = self._tokenizer.decode([token], skip_special_tokens=True)
            self._suspect[token] = not self._last.isdisjoint(text)
        return self._suspect[token]
