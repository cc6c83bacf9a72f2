"""The lines of a plain text, one a paragraph.

Where blank lines part paragraphs and the lines between are broken at a margin, they are joined; other texts (one
paragraph a line, lists, logs) keep their lines.

But: knows no mark-up such as Markdown, no columns, and joins no hyphens.
"""

import re

MARGIN = 120  # characters that no line of a text broken at a margin exceeds
LINES_TO_JUDGE = 2  # lines a paragraph has on average at the least where lines are broken at a margin

_BLANK = re.compile(r"\n[ \t]*\n\s*")


def plain_lines(text: str) -> list[str]:
    """The paragraphs of the text in order, none empty."""
    lines = "\n".join(text.splitlines()).strip("\n")
    paragraphs = [paragraph.split("\n") for paragraph in _BLANK.split(lines)]
    if _is_broken_at_a_margin(paragraphs):
        found = [" ".join(line.strip() for line in paragraph) for paragraph in paragraphs]
    else:
        found = [line for paragraph in paragraphs for line in paragraph]
    return [line.strip() for line in found if line.strip()]


def _is_broken_at_a_margin(paragraphs: list[list[str]]) -> bool:
    """Paragraphs of several lines, none of them beyond the margin, most of them ending in mid-sentence."""
    inner = [line for lines in paragraphs for line in lines[:-1]]
    count = sum(map(len, paragraphs))
    if count < LINES_TO_JUDGE * len(paragraphs) or any(len(line) > MARGIN for lines in paragraphs for line in lines):
        return False
    going_on = sum(not line.rstrip().endswith((".", "!", "?", ":", ";")) for line in inner)
    return going_on * 2 > len(inner)
