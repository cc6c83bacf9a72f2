"""Parsers of a judge's answers: the JSON of our own prompts, and that of the official ones.

Our own form has a list for each side, whose items have a fact and a verdict. The official form has eight keys, four for
each side: the facts and the verdicts on them as numbered text, and their counts:

    facts in predicted evidence      "1. … 2. …"
    fact check predicted evidence    "1. …. Supported. 2. …. Not enough information."
    facts count predicted evidence   2
    support predicted evidence       1

The keys for questions end in `questions`, those for the other side have `reference` in place of `predicted`. Verdicts
are counted from the lists in both forms.

Limitations: in the official form, the last verdict word of an item is its verdict, or its negation.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

import msgspec

from src.ev2r.records import FactVerdict, Judged, JudgedFact, WrittenCounts
from src.llm.json_replies import UnreadableReplyError, last_object
from src.llm.protocol import Reply


class WrittenFact(msgspec.Struct, frozen=True):
    """A fact as the judge wrote it."""

    fact: str
    verdict: str


class OwnAnswer(msgspec.Struct, frozen=True):
    """An answer in our own form."""

    predicted: list[WrittenFact]
    reference: list[WrittenFact]


@cache
def schema() -> str:
    """Return the JSON schema of our own form, as OpenAI's strict mode asks for."""
    verdict = {"type": "string", "enum": [str(verdict) for verdict in FactVerdict]}
    fact = {
        "type": "object",
        "properties": {"fact": {"type": "string"}, "verdict": verdict},
        "required": ["fact", "verdict"],
        "additionalProperties": False,
    }
    predicted = {"type": "array", "items": fact}
    sides = {"predicted": predicted, "reference": predicted | {"minItems": 1}}
    whole = {"type": "object", "properties": sides, "required": list(sides), "additionalProperties": False}
    return msgspec.json.encode(whole).decode()


def read_own(reply: Reply) -> Judged:
    """Return the last JSON object of a reply that has our own form. Raises UnreadableReplyError."""
    answer = last_object(reply, OwnAnswer)
    return _with_reference(Judged(_facts(answer.predicted), _facts(answer.reference)))


def read_official(reply: Reply) -> Judged:
    """Return the last JSON object of a reply that has the official form. Raises UnreadableReplyError."""
    answer = last_object(reply, dict[str, Any])
    by_key = {re.sub(r"[\s_]+", " ", key.casefold()).strip(): value for key, value in answer.items()}
    what = "questions" if any(key.endswith("questions") for key in by_key) else "evidence"
    return _with_reference(
        Judged(
            _checked_facts(by_key, f"predicted {what}"),
            _checked_facts(by_key, f"reference {what}"),
            WrittenCounts(
                _count(by_key, f"facts count predicted {what}"),
                _count(by_key, f"support predicted {what}"),
                _count(by_key, f"facts count reference {what}"),
                _count(by_key, f"support reference {what}"),
            ),
        )
    )


def _with_reference(judged: Judged) -> Judged:
    """Return the judgment unchanged. Raises UnreadableReplyError if it has no reference facts, but gold evidence
    always has some.
    """
    if not judged.reference:
        raise UnreadableReplyError("it has no reference facts")
    return judged


def _facts(written: Sequence[WrittenFact]) -> list[JudgedFact]:
    return [JudgedFact(one.fact, _verdict(one.verdict)) for one in written]


def _verdict(text: str) -> FactVerdict:
    plain = re.sub(r"[\s_-]+", " ", text.casefold()).strip(" .*")
    try:
        return FactVerdict.NOT_ENOUGH if plain == "not enough info" else FactVerdict(plain)
    except ValueError:
        raise UnreadableReplyError(f"{text[:SHOWN]!r} is none of the verdicts {', '.join(FactVerdict)}") from None


_NOT = r"(?:\b(?:no|not|nothing|neither|nor|without|lack\w*)\b|n['\u2019]t\b|\bun)(?:(?!\bbut\b)[^.;,]){0,30}?"
_WORDS = re.compile(
    rf"(?P<open>not enough info|{_NOT}support)|(?P<no_verdict>{_NOT}(?:contradict|refut))"
    r"|(?P<against>contradict|refut)|(?P<for>support)",
    re.IGNORECASE,
)
_OFFICIAL = {
    "open": FactVerdict.NOT_ENOUGH,
    "against": FactVerdict.CONTRADICTED,
    "for": FactVerdict.SUPPORTED,
}
_NOTHING = {"", "none", "null", "n/a"}  # written in place of facts
_BULLET = re.compile(r"^[-•–]\s+")  # noqa: RUF001 - a dash as a bullet
SHOWN = 60  # characters of a judge's text in a message


def _checked_facts(answer: dict[str, Any], side: str) -> list[JudgedFact]:
    """Return the facts of a side, by their verdicts; a fact that is not listed is named by the text on it."""
    for key in (f"facts in {side}", f"fact check {side}"):
        if key not in answer:
            raise UnreadableReplyError(f"its JSON has no key {key!r}")
    facts, checks = _items(answer[f"facts in {side}"]), _items(answer[f"fact check {side}"])
    if len(facts) > len(checks):
        raise UnreadableReplyError(f"{len(facts)} facts of {side}, but {len(checks)} verdicts")
    return [
        JudgedFact(fact or check, _official_verdict(check)) for fact, check in zip_longest(facts, checks, fillvalue="")
    ]


def _items(value: object) -> list[str]:
    """Return the items of a list, of text with the numbers 1., 2., …, or of its lines if it has no numbers."""
    if isinstance(value, list):
        return [str(item).strip() for item in value if str(item).strip()]
    text = str("" if value is None else value).replace("*", "").strip()
    if text.casefold().strip(".") in _NOTHING:
        return []
    items, left, separator = list[str](), text, " "
    while separator:
        before, separator, left = _split_at(left, len(items) + 1)
        items.append(before.strip())
    if len(items) == 1:
        items = [_BULLET.sub("", line.strip()) for line in text.splitlines()]
    return [item for item in items if item]


def _split_at(text: str, number: int) -> tuple[str, str, str]:
    """Split a text at a number with a period, parenthesis or colon, as `str.partition` does.

    A number that begins a line or follows the end of a sentence is preferred to others, such as the day of a date.
    """
    written = rf"{number}[.):]\s+"
    mark = re.search(rf"(?:^|(?<=\n)|(?<=[.!?;)\]\"']\s)){written}", text) or re.search(rf"(?<=\s){written}", text)
    return (text[: mark.start()], mark[0], text[mark.end() :]) if mark else (text, "", "")


def _official_verdict(text: str) -> FactVerdict:
    found = [match for match in _WORDS.finditer(text) if match.lastgroup in _OFFICIAL]
    if not found:
        raise UnreadableReplyError(f"no verdict in {text[:SHOWN]!r}")
    return _OFFICIAL[found[-1].lastgroup or ""]


def _count(answer: dict[str, Any], key: str) -> int | None:
    value = answer.get(key)
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
