"""Texts of prompts for engines with a tokenizer of transformers; chat requests get the model's template.

Limitations: on a model without a chat template, `chat` puts the system text before the prompt.
"""

import re
from typing import Any, NamedTuple

from src.llm.protocol import Request
from src.llm.special_tokens import harmless


class PromptText(NamedTuple):
    """Text of a prompt. `special`: the tokenizer adds its special tokens; a chat template brings its own."""

    text: str
    special: bool


def prompt_text(tokenizer: Any, request: Request, special: re.Pattern[str]) -> PromptText:
    """Return the text of a request's prompt. `special` is the pattern of `special_of(tokenizer)`."""
    prompt, system = harmless(request.prompt, special), harmless(request.system, special)
    if not request.chat:
        return PromptText(prompt, True)
    if not tokenizer.chat_template:
        return PromptText(f"{system}\n\n{prompt}" if system else prompt, True)
    turns = [{"role": "system", "content": system}] if system else []
    turns.append({"role": "user", "content": prompt})
    return PromptText(str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)), False)
