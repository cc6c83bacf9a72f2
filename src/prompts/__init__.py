"""Prompts, one Markdown file each, with `$name` where a value goes."""

from functools import cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent


@cache
def load(name: str) -> Template:
    """Return the prompt `src/prompts/NAME.md`, without its final newline. Raises FileNotFoundError."""
    return Template((FOLDER / f"{name}.md").read_text(encoding="utf-8").removesuffix("\n"))
