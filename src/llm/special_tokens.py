"""Text that writes a model's special tokens, such as <|im_end|>, is kept from ending a turn or beginning another.

A tokenizer of transformers names its special tokens. Of a server the tokenizer is not known: what looks like one
counts. llama.cpp reads a text without special tokens, if it is told to (`llamacpp_backend.py`).

Limitations: of a server's, known are the forms of the usual chat templates.
"""

import re
from typing import Any

USUAL = re.compile(
    r"<(?=[|\uff5c])|(?<=[|\uff5c])(?=>)|<(?=/?(?:s|bos|eos|pad|unk|(?:start|end)_of_turn|(?:begin|end)_of_text)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])|<(?=</?SYS>>)",
    re.IGNORECASE,
)


def special_of(tokenizer: Any) -> re.Pattern[str]:
    """Return where a space breaks a special token of a tokenizer of transformers."""
    added = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
    tokens = sorted({token for token in added if len(token) > 1}, key=len, reverse=True)
    return re.compile("|".join(f"{re.escape(token[0])}(?={re.escape(token[1:])})" for token in tokens) or r"(?!)")


def harmless(text: str, special: re.Pattern[str] = USUAL) -> str:
    """Return the text with a space within every special token; other text as it is."""
    return special.sub(lambda found: f"{found[0]} ", text)
