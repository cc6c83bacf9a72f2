"""Prompt templates: one Markdown file each; `$name` is a placeholder. `fenced` prepares page text for a prompt."""

import re
from functools import cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent


@cache
def load(name: str) -> Template:
    """Load the template `src/prompts/NAME.md`, without its final newline. Raises FileNotFoundError."""
    return Template((FOLDER / f"{name}.md").read_text(encoding="utf-8").removesuffix("\n"))


_NUMBER = re.compile(r"\[(\s*\d+(?:\s*[,;-]\s*\d+)*\s*)\]")


def fenced(text: str) -> str:
    """Return page text as one line, with evidence numbers such as [2] written as (2).

    Page text thus cannot add lines to a prompt, or cite the prompt's evidence.
    """
    return _NUMBER.sub(r"(\1)", " ".join(text.split()))
