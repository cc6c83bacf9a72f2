"""The lines of a plain text, one a paragraph.

Where blank lines separate paragraphs, and the lines between are broken at a margin, they are joined. Other texts (one
paragraph a line, lists, logs) keep their lines.

Limitations: markup such as Markdown and columns are not recognized, and hyphens are not joined.
"""

import re

MARGIN = 120  # longest line, in characters, of a text broken at a margin
LINES_TO_JUDGE = 2  # minimum average of lines a paragraph, where lines are broken at a margin

_BLANK = re.compile(r"\n[ \t]*\n\s*")


def plain_lines(text: str) -> list[str]:
    """Return the paragraphs of the text in order, without empty ones."""
    lines = "\n".join(text.splitlines()).strip("\n")
    paragraphs = [paragraph.split("\n") for paragraph in _BLANK.split(lines)]
    if _is_broken_at_a_margin(paragraphs):
        found = [" ".join(line.strip() for line in paragraph) for paragraph in paragraphs]
    else:
        found = [line for paragraph in paragraphs for line in paragraph]
    return [line.strip() for line in found if line.strip()]


def _is_broken_at_a_margin(paragraphs: list[list[str]]) -> bool:
    """Return True if paragraphs have several lines, none beyond the margin, and most lines end in mid-sentence."""
    inner = [line for lines in paragraphs for line in lines[:-1]]
    count = sum(map(len, paragraphs))
    if count < LINES_TO_JUDGE * len(paragraphs) or any(len(line) > MARGIN for lines in paragraphs for line in lines):
        return False
    going_on = sum(not line.rstrip().endswith((".", "!", "?", ":", ";")) for line in inner)
    return going_on * 2 > len(inner)
