"""Parser of the reply of a language model that reasons first and gives its verdict in the last line.

A line counts if it is only a label, or has a label behind a head such as "Verdict:". Behind "verdict is" the label must
end the line. The last line also counts if it has "the claim is" and a label. A line gives no verdict if the words
behind Supported or Refuted may change it ("only in part", "by none of the evidence").

Limitations: no other line is read as a verdict. Behind Supported or Refuted only a mark, "by", "because" and the like
may follow.
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
_HEAD = re.compile(r"\b(?:verdict|label|answer|conclusion)\b(?:\s+is)?\s*(?P<sign>[:=]?)\s*-?\s*$", re.IGNORECASE)
_CLAIM_IS = re.compile(r"\b(?:claim|verdict)\s+is\s+(?:therefore\s+|thus\s+)?$", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)")
_GOES_ON = re.compile(r"\s*(?:$|[^\w\s]|(?:by|because|since|as(?!\s+far)|given|due|based)\b)", re.IGNORECASE)
_CHANGES = re.compile(
    r"^\W*(?:but|though|although|however|except|unless|if|only|or)\b"
    r"|^\W*by\s+(?:no|none|nothing|neither|nobody|only|little|few|some|half|part|parts)\b"
    r"|\bin\s+part\b|\bpart(?:ly|ially)\b|\bbut\s+(?:not|only)\b",
    re.IGNORECASE,
)
_PLAIN = {Verdict.SUPPORTED, Verdict.REFUTED}
_MARKS = re.compile(r"[*_`#>\"']+")


class ReasonedReply(NamedTuple):
    """A parsed reply. `verdict` is None if no line names exactly one label.

    `reasoning` is the text before that line. It includes the line if words follow its label.
    """

    reasoning: str
    verdict: Verdict | None


def read_reply(text: str) -> ReasonedReply:
    """Return the reasoning, its lines joined to one, and the verdict of the last line that names one."""
    lines = [one for line in text.splitlines() if (one := " ".join(_MARKS.sub("", line).split()))]
    for place in reversed(range(len(lines))):
        named = _named(lines[place], is_last=place == len(lines) - 1)
        if named is not None:
            verdict = named.pop() if len(named) == 1 else None
            is_label = verdict is not None and not _says_more(lines[place])
            return ReasonedReply(" ".join(lines[:place] if is_label else lines), verdict)
    return ReasonedReply(" ".join(lines), None)


def _named(line: str, *, is_last: bool) -> set[Verdict] | None:
    """Return the labels that the line gives as verdicts.

    The set is empty if the words behind a label change it. Return None if the line is reasoning.
    """
    found = list(_ANY.finditer(line))
    if not found:
        return None
    before, behind = line[: found[0].start()], line[found[0].end() :]
    labels = {Verdict[str(one.lastgroup)] for one in found}
    if not _has_words(_ANY.sub("", line)):
        return labels
    head = _HEAD.search(before)
    is_head = head is not None and (head["sign"] or not _has_words(_IN_BRACKETS.sub("", behind)))
    if not is_head and not (is_last and _CLAIM_IS.search(before)):
        return None
    is_plain = labels.isdisjoint(_PLAIN) or (_GOES_ON.match(behind) and not _CHANGES.search(behind))
    return labels if is_plain else set()


def _says_more(line: str) -> bool:
    """Return True if words follow the label. Words in brackets only explain it, and do not count."""
    return _has_words(_IN_BRACKETS.sub("", _ANY.split(line)[-1]))


def _has_words(text: str) -> bool:
    return any(sign.isalnum() for sign in text)
