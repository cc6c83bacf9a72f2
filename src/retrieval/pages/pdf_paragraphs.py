"""Paragraphs from the short lines of a PDF.

A PDF contains only the short lines of the printed page; none of them would pass the sentence rule. They are joined
here. A line that is clearly shorter than the full lines of its page ends a paragraph; any other continues. A short line
that ends no sentence, after one that does, is a heading or a page number and becomes its own paragraph. A missed border
between two paragraphs does no harm, since the text is split into sentences later.

Limitations: columns are not detected, and a paragraph ends at the end of a page. A word broken at the end of a line is
joined without its hyphen, also where the hyphen belongs to the word.
"""

FULL_LINE = 0.75  # share of the page's line width, in characters, from which a line counts as full
WIDE_LINES = 0.1  # share of a page's lines that may be wider than its line width (a header over two columns)
BROKEN_WORD = "\ufffe"  # PDFium's character for a hyphen and line break at the end of a line


def paragraphs(page: str) -> list[str]:
    """Join the visual lines of one page's text into paragraphs."""
    lines = [line.strip(" \t\r") for line in page.replace(BROKEN_WORD, f"{BROKEN_WORD}\n").split("\n")]
    full = FULL_LINE * _line_width(lines)
    joined = [""]
    for line in lines:
        if len(line) < full and not _ends_sentence(line) and _ends_sentence(joined[-1]):
            joined.append("")
        joined[-1] += line.removesuffix(BROKEN_WORD)
        if line.endswith(BROKEN_WORD):
            continue
        if len(line) >= full:
            joined[-1] += " "
        else:
            joined.append("")
    return [paragraph.strip() for paragraph in joined if paragraph.strip()]


def _ends_sentence(text: str) -> bool:
    return text.rstrip(" \"')\u201d\u2019").endswith((".", "!", "?"))


def _line_width(lines: list[str]) -> int:
    """Return the length of the longest line, without the few widest."""
    lengths = sorted(len(line) for line in lines)
    return lengths[-1 - int(WIDE_LINES * len(lengths))]
