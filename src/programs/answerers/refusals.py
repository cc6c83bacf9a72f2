"""Detection of answers that only say that there is none: "I don't know.", "Not given in the text", "It is unclear who
did."

Only the first sentence is read, and it must match as a whole: "Not given lightly" is an answer. A sentence of four
words or more in which all long words are capitalized is a title and an answer: "I Don't Know How to Go".

Limitations: English only. A title that equals a refusal word for word ("Unknown") is taken for a refusal.
"""

import re

from src.text import folded

TITLE, LONG = 4, 4  # words of a title; letters of a word that must be capitalized

_TOLD = "(?:known|stated|given|mentioned|specified|named|provided|available|told|clear|enough)"
_THINGS = "(?:texts?|passages?|evidence|context|information|sources?|articles?|paragraphs?|sentences?|documents?)"
_SOURCE = rf"(?:it|this|that|(?:the|these|any)(?: \w+)? {_THINGS})"
_SAYS = "(?:say|state|mention|give|tell|specify|name|provide|contain|include|indicate|answer|show|identify|reveal|know)"
_LACKS = r"(?:information|evidence|context|answer|mention|indication|data|details?)\b"
_NOT, _HOW = "(?: not|n't)", "(?: explicitly| directly| clearly)*"
_TAIL = rf"(?: (?:explicitly|directly|here|yet))*(?: (?:in|by|from|on|of|about|to) .+| {_LACKS}.*)?"

_REFUSAL = re.compile(
    rf"(?:unknown|none|n/a|unanswerable|unclear|insufficient|no {_LACKS}|not{_HOW} {_TOLD}){_TAIL}"
    rf"|no {_LACKS} (?:(?:is|was|are|can|could|has|have)\b.+|{_TOLD}{_TAIL})"
    rf"|cannot be (?:known|told|determined|answered){_TAIL}"
    rf"|there(?: is| are|'s) (?:no|not enough|insufficient) (?:\w+ )?{_LACKS}.*"
    rf"|there(?: is| are|'s) no (?:way|(?:\w+ ){{1,4}}{_TOLD})\b.*"
    r"|i (?:do not|don't|cannot|can't) (?:know|tell|say|answer|determine|find|be sure)\b.*"
    r"|(?:it|this)(?: is|'s) (?:impossible|unclear|unknown)\b.*"
    rf"|(?:it|this|that|the [\w ]{{1,30}}?) (?:is|was|are){_NOT}{_HOW} {_TOLD}\b.*|is{_NOT} {_TOLD}\b.*"
    rf"|{_SOURCE} (?:does|do|did){_NOT}{_HOW} {_SAYS}\b.*"
)
_SENTENCE_END = re.compile(r"[.!?;:](?:\s|$)")


def is_refusal(answer: str) -> bool:
    first = _SENTENCE_END.split(answer, maxsplit=1)[0]
    return _REFUSAL.fullmatch(folded(first).replace("\u2019", "'")) is not None and not _is_title(first)


def _is_title(sentence: str) -> bool:
    words = sentence.split()
    return (
        len(words) >= TITLE
        and not sentence.isupper()
        and all(not word[0].islower() for word in words if len(word) >= LONG)
    )
