"""Lexical reader of verdicts on the claim: `the claim is supported`, `the evidence refutes this statement`.

It does not read statements about anything else or about a part of the claim. Nor does it read statements that an
earlier word leaves open or denies (`whether the claim is true`, `no evidence that it is`). The words for verdicts are
those that annotators of AVeriTeC's train split use several times.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from src.explanation.checks.grounds import Grounds
from src.explanation.labels import clause
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.records import Verdict

TRUE, FALSE, MIXED, UNKNOWN = "true", "false", "mixed", "unknown"
_WORDS = {
    TRUE: ("supported", "true", "correct", "accurate", "confirmed", "proven", "verified"),
    FALSE: (
        "refuted", "false", "untrue", "incorrect", "inaccurate", "wrong", "debunked", "disproven", "disproved",
        "contradicted", "fake", "a hoax",
    ),
    MIXED: ("misleading", "conflicting", "cherrypicking", "cherry picking", "cherry-picking"),
}  # fmt: skip
_HALF = r"(?:half|partly|partially)[\s-]+(?:true|correct|accurate|supported|confirmed|false|refuted|incorrect|wrong)"
_SIDE_OF = {word: side for side, words in _WORDS.items() for word in words}
_WORD = "|".join([_HALF, *(word.replace(" ", r"\s+") for word in sorted(_SIDE_OF, key=len, reverse=True))])
_CLAIM = (
    r"(?:(?:the|this|that|said)\s+(?:(?:whole|entire|very)\s+)?(?:claim|statement|assertion|allegation)(?!['\u2019]s)\b"
    r"(?:\s+(?:itself|as\s+a\s+whole))?|what\s+(?:is|was|has\s+been)\s+(?:claimed|said|stated|alleged)\b"
    r"|what\s+(?:the|this)\s+(?:claim|post|speaker)\s+(?:says|said|claims|claimed)\b)"
)
_VERDICT = r"(?:the|our)\s+(?:verdict|rating)"
_AS = r"(?:\s+(?:as|to\s+be))?"
_JUDGED = (
    r"(?:\s+(?:found|shown|proven|considered|judged|deemed|rated|called|labell?ed|marked|classed|regarded|revealed"
    r"|declared|described|confirmed|known))?"
)
_LINK = (
    r"(?:(?:is|was|has\s+been|(?:can|should|must|would|has\s+to)\s+be)"
    r"(?P<not>\s+not(?!\s+(?:only|just|merely)\b)|n['\u2019]t)?"
    rf"|seems|appears|remains|proves|stands|turns\s+out|counts){_JUDGED}{_AS}"
)
_MAKES = (
    r"(?:make|find|render|show|prove|leave|rate|consider|judge|deem|declare|label|mark|call|regard|describe|take)"
    r"(?:s|es|d|ed)?|found|made|shown|proven"
)
_SURELY = (
    r"(?:,?\s+(?!(?:part|partial|half|hard|bare|scarce)ly\b)"
    r"(?:\w+ly|therefore|thus|hence|also|only|indeed|still|very|not\s+(?:only|just|merely)|in\s+(?:fact|short)),?"
    r"|,\s[^,.;:]{1,40},){0,3}"
)
_IS = re.compile(
    rf"\b(?:(?P<made>(?:{_MAKES})\s+){_CLAIM}{_AS}|(?:{_CLAIM}|{_VERDICT})(?:\s+that\s+[^.;]{{1,150}}?)?{_SURELY}"
    rf"\s+{_LINK})"
    rf"{_SURELY}\s+[\"\u201c]?(?P<word>{_WORD})\b(?!\s+(?:by\s+(?:[^.;,]{{1,40}}\s+)?)?to\s+be\b"
    r"|\s+by\s+(?:no|none|nobody|little)\b|\s+or\s+(?:not|true|false|supported|refuted)\b)",
    re.IGNORECASE,
)
_VERBS = {TRUE: "supports? supported confirms? confirmed verify verifies verified proves? proved", FALSE:
          "refutes? refuted contradicts? contradicted disproves? disproved debunks? debunked"}  # fmt: skip
_SHOWS = re.compile(
    r"\b(?:evidence|answers?|sources?|Q\s?&\s?As?|QAs?|pairs?|this|these|they|it|(?<=,\s)which)\s+"
    r"(?:(?!(?:not|no|nor|neither|never|none|nothing|to|or|can|cannot|could|might|may|would|should|if|whether|who|that"
    r"|only|partly|partially|hardly|barely|some|what|he|she)\b|\S*n['\u2019]t\b|\S*\d)[^\s.,;:!?]+\s+){0,5}?"
    rf"(?:(?P<true>{'|'.join(_VERBS[TRUE].split())})|(?:{'|'.join(_VERBS[FALSE].split())}))\s+{_CLAIM}"
    rf"(?!{_AS}\s+(?:is|was|has|{_WORD})\b)",
    re.IGNORECASE,
)
_CLAUSES = {
    clause(label): side for label, side in ((Verdict.NOT_ENOUGH_EVIDENCE, UNKNOWN), (Verdict.CONFLICTING, MIXED))
}  # the conclusions in another form
_OPEN_END = re.compile(
    rf"\b{_CLAIM}\s+(?:can\s?not|can['\u2019]t|could\s+not|couldn['\u2019]t)\s+be\s+(?:verified|confirmed|determined)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile("|".join(map(re.escape, _CLAUSES)), re.IGNORECASE)
_GAP = r"(?:(?!(?:so|therefore|thus|hence|and|but|which|this|because|as|since|that|means|meaning)\b)[^\s.,;:!?]+\s+)"
_TELL = (
    r"(?:show|shows|shown|prove|proves|proven|suggest|suggests|mean|say|said|indicate|indicates|state|stated|clear"
    r"|confirm|confirmed|imply|certain|sure|conclude|concluded|establish|established|true|believe|think|know|known)"
)
_OPEN = re.compile(
    rf"(?:\b(?:whether(?:\s+or\s+not)?|if|unless|(?:parts?|some|half|not\s+all|opposite|reverse)\s+of)\s+"
    rf"|\b(?:false|wrong|untrue|incorrect|unlikely|doubtful)\s+(?:that|to\s+say(?:\s+that)?)\s+"
    rf"|(?:\b(?:not|never|cannot|nor)|n['\u2019]t)\s+(?:{_GAP}?{_TELL}\s+)?(?:that\s+)?"
    r"|\b(?:no|none|nothing|neither|not\s+(?:enough|a\s+single|one)|insufficient)\s+"
    rf"{_GAP}{{0,6}}?(?:that|{_TELL}(?:\s+that)?)\s+)$",
    re.IGNORECASE,
)
_NOT_ALL = re.compile(
    r"(?:\b(?:no|not|any|little|some|one|two|first|second|third|last|other|another|nothing|none|neither|nor|never|to|or"
    rf"|can|cannot|could|might|may|would|should|if|whether|does|do|did)|n['\u2019]t)\s+{_GAP}{{0,2}}$",
    re.IGNORECASE,
)


_REACH = 160  # characters before a statement that are searched for words which leave it open or deny it


class Statement(NamedTuple):
    """A verdict that a text states or denies.

    `span`: the words that state it.
    `side`: `true`, `false`, `mixed` or `unknown`.
    `denied`: True if the text denies this verdict.
    """

    span: str
    side: str
    denied: bool = False


def statements(text: str) -> Iterator[Statement]:
    """Yield all verdicts on the claim that the text plainly states or denies."""
    for match in _IS.finditer(text):
        before = _before(text, match)
        if not _OPEN.search(before) and not (match["made"] and _NOT_ALL.search(before)):
            word = " ".join(match["word"].lower().split())
            yield Statement(match[0], _SIDE_OF.get(word, MIXED), bool(match["not"]))
    for match in _SHOWS.finditer(text):
        if not _NOT_ALL.search(_before(text, match)):
            yield Statement(match[0], TRUE if match["true"] else FALSE)
    for match in _OPEN_END.finditer(text):
        if not _OPEN.search(_before(text, match)):
            yield Statement(match[0], UNKNOWN)
    for match in _CLAUSE.finditer(text):
        yield Statement(match[0], _CLAUSES[match[0].lower()])


def _before(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - _REACH) : match.start()]


_OF_LABEL = {
    Verdict.SUPPORTED: TRUE, "true": TRUE, "supports": TRUE, Verdict.REFUTED: FALSE, "false": FALSE, "refutes": FALSE,
    Verdict.CONFLICTING: MIXED, "half-true": MIXED, Verdict.NOT_ENOUGH_EVIDENCE: UNKNOWN,
}  # fmt: skip


def wrong_verdicts(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    claim = grounds.claim
    for statement in statements(sentence):
        if _contradicts(statement, _OF_LABEL[claim.label]):
            reason = f"the verdict is {claim.label}"
            yield Finding(claim.claim_id, place, ErrorType.REASONING_COHERENCE, statement.span, reason)


def states(text: str, label: str) -> bool:
    """Return True if the text plainly states the verdict that belongs to the label."""
    return _OF_LABEL[label] in sides(text)


def other_sides(text: str, label: str) -> frozenset[str]:
    """Return the verdicts that the text plainly states (`true`, `false`, `mixed`, `unknown`), except for the label's
    verdict.
    """
    return sides(text) - {_OF_LABEL[label]}


def sides(text: str) -> frozenset[str]:
    """Return the verdicts that the text plainly states: any of `true`, `false`, `mixed` and `unknown`."""
    return frozenset(statement.side for statement in statements(text) if not statement.denied)


def _contradicts(statement: Statement, expected: str) -> bool:
    """Return True if the statement contradicts the expected verdict.

    A denial contradicts only the verdict that it denies: a claim that is not supported may be refuted or undecided.
    """
    return statement.side == expected if statement.denied else statement.side != expected


_KNOWN = r"(?:verified|confirmed|determined|established|proven|proved|settled|known|answered|found|checked|said)"
_SOUGHT = r"(?:evidence|proof|sources?|answers?|records?)"  # "no body was found" may refute a claim
_WAS = r"(?:was|were|is|are|ha(?:s|ve)\s+been|c(?:ould|an)\s+be)"
_UNSETTLED = re.compile(
    r"\b(?:do|does|did|can|could|will|would)\s*(?:not|n['\u2019]t)\s+(?:settle|decide|answer|bear\s+on|address)\b"
    r"|\b(?:not\s+enough|insufficient|too\s+little|inconclusive)\s+(?:\w+\s+)?(?:evidence|information|data|details?)\b"
    rf"|\bno\s+(?:\w+\s+){{0,3}}{_SOUGHT}\s+(?:\w+\s+){{0,4}}{_WAS}\s+found\b"
    rf"|\bnothing\s+{_WAS}\s+found\s+(?:that|to|on|about)\b"
    r"|\bnothing\s+that\s+was\s+found\b|\binconclusive\b|\bno\s+answers?\b"
    rf"|\b(?:can(?:\s?not|['\u2019]t)|could\s+not|couldn['\u2019]t|not\s+possible\s+to)\s+be\s+{_KNOWN}\b"
    r"|\b(?:unable|impossible|not\s+possible)\s+to\s+(?:say|tell|know|verify|confirm|determine|establish)\b",
    re.IGNORECASE,
)


def is_unsettled(text: str) -> bool:
    """Return True if the text plainly says that the evidence does not decide the claim.

    Limitations: lexical only; a statement about a part of the claim counts for the whole claim.
    """
    return bool(_UNSETTLED.search(text)) or UNKNOWN in sides(text)
