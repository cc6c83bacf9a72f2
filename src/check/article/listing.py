"""Text for the terminal of a checked article: its claims with verdicts, and the sentences that are not checked."""

from collections.abc import Iterator
from textwrap import fill

from src.check.article.check_article import CheckedArticle, CheckedPart
from src.check.reliance import headline
from src.runner.console import how_many

WIDTH = 110


def listed(article: CheckedArticle) -> str:
    """Return the list as text: verdict, claim, its sentence, its first sources; then what is not checked."""
    lines = [f"{article.name}: {how_many(len(article.parts), 'claim')} checked"]
    for place, part in enumerate(article.parts, start=1):
        lines += ["", f"[{place}] {_verdict(part)}: {part.claim.claim}", *_details(part)]
    if article.left_out:
        lines += ["", "Not checked"]
        lines += [f"    {one.sentence} ({one.reason})" for one in article.left_out]
    return "\n".join(_wrapped(line) for line in lines)


def _verdict(part: CheckedPart) -> str:
    return headline(part.checked.prediction) if part.checked else "Failed"


def _details(part: CheckedPart) -> Iterator[str]:
    if part.claim.claim != part.claim.sentence:
        yield f"    sentence {part.claim.number}: {part.claim.sentence}"
    if part.claim.speaker:
        yield f"    said by {part.claim.speaker}"
    if part.checked is None:
        yield f"    {part.failure}"
        return
    for url in list(dict.fromkeys(pair.url for pair in part.checked.prediction.evidence))[:2]:
        yield f"    {url}"


def _wrapped(line: str) -> str:
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
