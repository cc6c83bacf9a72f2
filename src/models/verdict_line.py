"""Reads the reply of a language model that reasons first and gives its verdict in the last line.

Limitations: a line counts if it is a label alone, or names it behind a head such as "Verdict:"; the last line of all
also counts if it says "the claim is" and a label. Anything else is not read as a verdict.
"""

import re
from typing import NamedTuple

from src.records import Verdict

_LABELS = {
    Verdict.CONFLICTING: r"conflicting(?:\s+evidence)?(?:\s*[/,]\s*cherry-?\s?picking)?|cherry-?\s?picking",
    Verdict.NOT_ENOUGH_EVIDENCE: r"not\s+enough\s+(?:evidence|information)",
    Verdict.SUPPORTED: r"supported",
    Verdict.REFUTED: r"refuted",
}
_ANY = re.compile("|".join(rf"(?P<{label.name}>\b(?:{words})\b)" for label, words in _LABELS.items()), re.IGNORECASE)
_HEAD = re.compile(r"\b(?:verdict|label|answer|conclusion)\b(?:\s+is)?\s*[:=-]?\s*$", re.IGNORECASE)
_CLAIM_IS = re.compile(r"\bclaim\s+is\s+(?:therefore\s+|thus\s+)?$", re.IGNORECASE)
_MARKS = re.compile(r"[*_`#>\"']+")


class ReasonedReply(NamedTuple):
    """`verdict` is None where no line names one label; `reasoning` is what is written before that line."""

    reasoning: str
    verdict: Verdict | None


def read_reply(text: str) -> ReasonedReply:
    """Return the reasoning, its lines joined to one, and the verdict of the last line that names one."""
    lines = [one for line in text.splitlines() if (one := " ".join(_MARKS.sub("", line).split()))]
    for place in reversed(range(len(lines))):
        named = _named(lines[place], is_last=place == len(lines) - 1)
        if named:
            verdict = named.pop() if len(named) == 1 else None
            return ReasonedReply(" ".join(lines[:place] if verdict else lines), verdict)
    return ReasonedReply(" ".join(lines), None)


def _named(line: str, *, is_last: bool) -> set[Verdict]:
    """Return the labels that the line gives as verdicts; none for a line of the reasoning."""
    found = list(_ANY.finditer(line))
    if not found:
        return set()
    before = line[: found[0].start()]
    is_alone = not any(sign.isalnum() for sign in _ANY.sub("", line))
    if is_alone or _HEAD.search(before) or (is_last and _CLAIM_IS.search(before)):
        return {Verdict[str(one.lastgroup)] for one in found}
    return set()
