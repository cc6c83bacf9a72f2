"""Text for the terminal of a checked claim: verdict, justification, evidence, what would change it, pages, seconds."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from textwrap import fill

from src.check.decisive import what_would_change
from src.check.records import CheckedClaim
from src.check.reliance import AS_READ, headline, reliance
from src.check.run_context import TOTAL
from src.explanation.text import marked
from src.records import Level, QAPair, Side
from src.retrieval.providers import FactCheck
from src.retrieval.scraping.page_log import PageLog, dates_of
from src.runner.console import how_many

WIDTH = 110
INDENT = 4
_OF_UNDECIDED: Mapping[str, Container[Side | None]] = {
    f"Evidence for the claim, {AS_READ}": {Side.FOR},
    f"Evidence against the claim, {AS_READ}": {Side.AGAINST},
    "Evidence on neither side": {Side.NEITHER, Side.REPEATS},
}


def described(checked: CheckedClaim) -> str:
    """Return the result of a check as text for the terminal."""
    parts = [
        ("Claim", [_claim(checked)]),
        ("Verdict", list(_verdict(checked))),
        ("Why", [marked(checked.explained)]),
        ("Warnings of the checks", [f"{one.type.full_name}: {one.span!r}: {one.reason}" for one in checked.findings]),
        *_evidence(checked),
        ("What would change it", _lines(what_would_change(checked.prediction, checked.decisive))),
        ("Fact-checks by others, which are no evidence here", [*map(_fact_check, checked.fact_checks)]),
        ("Pages", list(_pages(checked.pages))),
        ("Notes", checked.notes),
        ("Seconds", [_seconds(checked.seconds)]),
    ]
    return "\n".join("\n".join([title, *map(_wrapped, lines), ""]) for title, lines in parts if lines)


def _lines(text: str) -> list[str]:
    return [text] if text else []


def _claim(checked: CheckedClaim) -> str:
    details = ", ".join(text for text in (checked.claim.speaker, checked.claim.claim_date) if text)
    return f"{checked.claim.claim}{f' ({details})' if details else ''}"


def _verdict(checked: CheckedClaim) -> Iterator[str]:
    prediction = checked.prediction
    yield headline(prediction)
    yield from reliance(prediction, checked.reliance)
    if prediction.probabilities:
        yield ", ".join(f"{verdict} {chance:.0%}" for verdict, chance in prediction.probabilities.items())
    elif not prediction.evidence:
        yield "(by rule: there is no evidence)"


def _evidence(checked: CheckedClaim) -> Iterator[tuple[str, list[str]]]:
    """Yield each heading of the evidence with the lines below it."""
    dates, evidence = dates_of(checked.pages), checked.prediction.evidence
    unread: list[Side | None] = [None] * len(evidence)
    sides = [one.side for one in checked.stances] or unread
    numbered = list(enumerate(zip(evidence, sides, strict=True), start=1))
    for heading, own in _headings(checked).items():
        pieces = [_piece(number, pair, side, dates) for number, (pair, side) in numbered if side in own]
        yield heading, [line for piece in pieces for line in piece]


def _headings(checked: CheckedClaim) -> Mapping[str, Container[Side | None]]:
    """Return heading -> stances of the pieces listed below it: three headings for an undecided claim, else one."""
    if not checked.stances:
        return {"Evidence": {None}}
    if checked.prediction.level is Level.UNDECIDED:
        return _OF_UNDECIDED
    return {f"Evidence, and what each piece does to the claim, {AS_READ}": set(Side)}


def _piece(number: int, pair: QAPair, side: Side | None, dates: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a question-answer pair: stance, question, answer, and its URL with the page's date if
    known.
    """
    yield f"[{number}] {f'({side}) ' if side else ''}{pair.question}"
    yield f"    {pair.answer}"
    if pair.url:
        yield f"    {pair.url}{f' ({dates[pair.url]})' if pair.url in dates else ''}"


def _fact_check(one: FactCheck) -> str:
    details = ", ".join(filter(None, (one.publisher, one.date)))
    about = f", of the claim {one.claim!r}{f' by {one.claimant}' if one.claimant else ''}" if one.claim else ""
    return f"{one.rating or 'no rating'} ({details or 'publisher not named'}){about}: {one.url}"


def _pages(logs: list[PageLog]) -> Iterator[str]:
    read = [log for log in logs if not log.reason]
    sentences = how_many(sum(log.sentences for log in read), "sentence")
    yield f"{len(read)} of {how_many(len(logs), 'page')} read, {sentences}"
    for reason, count in Counter(log.reason for log in logs if log.reason).most_common():
        first = next(log.url for log in logs if log.reason == reason)
        yield f"{count} not: {reason} ({first}{', ...' if count > 1 else ''})"


def _seconds(seconds: dict[str, float]) -> str:
    parts = [f"{name} {spent:.1f}" for name, spent in seconds.items() if name != TOTAL]
    return f"{', '.join(parts)}; {TOTAL} {seconds[TOTAL]:.1f}, start of Python not counted"


def _wrapped(line: str) -> str:
    """Return the line wrapped, with continuation lines indented to its text."""
    own = len(line) - len(line.lstrip())
    text = " ".join(line.split())
    first, rest = " " * (INDENT + own), " " * (INDENT + own + (4 if text.startswith("[") else 0))
    return fill(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
