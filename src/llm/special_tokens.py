"""Neutralization of a model's special tokens in texts, such as <|im_end|>: they must not end or begin a turn.

A tokenizer of transformers lists its special tokens. The tokenizer of a server is unknown, so every text in the form of
a special token is treated as one. For llama.cpp, `llamacpp_backend.py` turns special tokens in texts off.

Limitations: for a server, only the forms of the usual chat templates are known.
"""

import re
from collections.abc import Mapping
from typing import Any

USUAL = re.compile(
    r"<(?=[|\uff5c])|(?<=[|\uff5c])(?=>)|<(?=/?(?:s|bos|eos|pad|unk|(?:start|end)_of_turn|(?:begin|end)_of_text)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])|<(?=</?SYS>>)",
    re.IGNORECASE,
)


def special_of(added: Mapping[int, Any]) -> re.Pattern[str]:
    """Return a pattern for `harmless`: it matches the first character of each special token.

    `added` maps ids to the tokens that were added to a tokenizer's vocabulary.
    """
    special = [str(token) for token in added.values() if token.special]
    tokens = sorted({token for token in special if len(token) > 1}, key=len, reverse=True)
    return re.compile("|".join(f"{re.escape(token[0])}(?={re.escape(token[1:])})" for token in tokens) or r"(?!)")


def harmless(text: str, special: re.Pattern[str] = USUAL) -> str:
    """Return the text with a space inserted after the first character of every special token."""
    return special.sub(lambda match: f"{match[0]} ", text)
