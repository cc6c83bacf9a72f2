"""Paragraphs out of the short lines of a PDF.

A PDF knows only the short lines that are seen on the page, none of which would survive the rule for sentences. Here
they are joined: a line that is clearly shorter than the full lines of its page ends a paragraph, any other goes on.
A short line that ends no sentence, after one that does, is a heading or a page number and stands alone. Two paragraphs
whose border is missed do no harm, since the text is cut into sentences later.

But: finds no columns, and ends a paragraph at the end of a page. A word broken at the end of a line is joined without
its hyphen, also where the hyphen belongs to the word.
"""

FULL_LINE = 0.75  # part of the page's line width, in characters, from which a line counts as full
WIDE_LINES = 0.1  # part of a page's lines that may be wider than its line width (a header over two columns)
BROKEN_WORD = "\ufffe"  # what PDFium gives for a hyphen at the end of a line, in place of the line break


def paragraphs(page: str) -> list[str]:
    """Joins the visual lines of one page's text into paragraphs."""
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
    """The length of the longest line once the few widest are set aside."""
    lengths = sorted(len(line) for line in lines)
    return lengths[-1 - int(WIDE_LINES * len(lengths))]
