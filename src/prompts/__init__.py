"""Prompts, one Markdown file each, with `$name` where a value goes, and page text in them."""

import re
from functools import cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent


@cache
def load(name: str) -> Template:
    """Return the prompt `src/prompts/NAME.md`, without its final newline. Raises FileNotFoundError."""
    return Template((FOLDER / f"{name}.md").read_text(encoding="utf-8").removesuffix("\n"))


_NUMBER = re.compile(r"\[(\s*\d+(?:\s*[,;-]\s*\d+)*\s*)\]")


def fenced(text: str) -> str:
    """Return the text as one line without marks such as [2], which are the numbers of pieces of evidence.

    Page text in a prompt cannot change the prompt around it.
    """
    return _NUMBER.sub(r"(\1)", " ".join(text.split()))
