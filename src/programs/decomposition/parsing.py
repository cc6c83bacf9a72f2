"""Parsing of claims with spaCy: parentheses are left out, and each title of a work is one token.

Text in parentheses is stored with the word before it, and is written after that word again. A title is a quotation, or
a run of capitalized words. In such a run, one word is capitalized only in titles, or a word like `film` precedes it: a
parser would read `the sitcom Then Came You` as a clause.

Limitations: titles that contain `and`, and titles of plain nouns that may name a person, are not recognized.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

_TITLE_WORDS = {
    "all", "am", "are", "be", "been", "can", "did", "do", "does", "had", "has", "have", "he", "her", "him", "his",
    "how", "i", "is", "it", "its", "let", "me", "my", "never", "not", "our", "she", "that", "their", "them", "these",
    "they", "this", "those", "was", "we", "were", "what", "when", "where", "who", "why", "you", "your",
}  # fmt: skip
_INSIDE = {"a", "an", "for", "of", "on", "the", "to", "with"}
_JOINED = {"&", ":"}
KINDS = {
    "album", "book", "comedy", "documentary", "drama", "ep", "film", "miniseries", "movie", "musical", "novel", "opera",
    "play", "show", "single", "sitcom", "song", "soundtrack", "video",
}  # fmt: skip
_BEHIND = {"and", "are", "be", "by", "can", "had", "has", "have", "in", "is", "or", "that", "was", "were", "which"}
_OPENING = _INSIDE | {"at", "by", "from", "after", "although", "before", "both", "like", "than", "unlike", "while"}
_ENDS = (".", "!", "?", ";")
_MONTHS = {
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
}  # fmt: skip
_LONGEST = 12  # words


def titles(doc: "Doc") -> list["Span"]:
    """Return the spans of words that form a title each; `doc` is tokenized but not parsed."""
    spans: list[Span] = []
    at = 0
    while at < len(doc):
        end = _end(doc, at)
        first = at + 1 if _begins(doc[at]) and doc[at].lower_ in _OPENING - {"the", "a", "an"} else at
        if end - first > 1 and _is_title(doc[first:end]):
            spans.append(doc[first:end])
        at = max(end, at + 1)
    return spans


def _end(doc: "Doc", at: int) -> int:
    """Return the end (exclusive index) of the run of capitalized words from index `at`; `at` if there is no run."""
    if not _is_capital(doc[at]):
        return at
    end = at + 1
    while end < len(doc):
        following = _joined(doc, at, end)
        if following is None:
            return end
        end = following
    return end


def _joined(doc: "Doc", first: int, end: int) -> int | None:
    """Return the end (exclusive index) of a run of capitalized words after adding its next word; None if the run ends.

    The run so far is `doc[first:end]`. Words such as `of` are added together with the capitalized word after them.
    """
    word = doc[end]
    if _is_capital(word) and doc[end - 1].text not in _ENDS:
        return end + 1
    if word.text in ("'m", "'re", "'ll", "'ve", "n't") or (word.text == "'s" and doc[end - 1].lower_ in _TITLE_WORDS):
        return end + 1
    if word.text == "-" and end + 1 < len(doc) and _is_capital(doc[end + 1]) and not word.whitespace_:
        return end + 2
    links = end
    while links < len(doc) and doc[links].text in _INSIDE:
        links += 1
    if links == end and word.text in _JOINED and (word.text == "&" or not doc[end - 1].whitespace_):
        links += 1
    is_date = links < len(doc) and doc[links].text in _MONTHS
    is_open = is_date or links == end or links - end > 2 or links == len(doc) or not _is_capital(doc[links])
    is_title = _has_title_word(doc[first:end]) or (first > 0 and doc[first - 1].text in KINDS)
    if is_open or (word.text not in _JOINED and not is_title):
        return None
    return links + 1


def _is_title(run: "Span") -> bool:
    is_title = _has_title_word(run) or any(word.text in _JOINED for word in run) or _is_named(run)
    return is_title and len(run) <= _LONGEST


def _is_named(run: "Span") -> bool:
    """Return True if a noun such as `film` shows that the run is a title: `the film The Eleven Devils`.

    Not so for `the film Anna Berg made`, which may be a clause.
    """
    if run.start == 0 or run[0].nbor(-1).text not in KINDS:
        return False
    if run[0].lower_ in _INSIDE:
        return True
    behind = run.doc[run.end] if run.end < len(run.doc) else None
    return behind is None or behind.is_punct or (behind.lower_ in _BEHIND and not _is_asked_from(behind))


def _is_asked_from(verb: "Token") -> bool:
    """Return True if the verb belongs to a relative clause: the `is` of `the film Anna Berg is known for`."""
    rest = list(verb.doc[verb.i + 1 : verb.i + 7])
    return any(word.lower_ in _INSIDE and (word.i + 1 == len(word.doc) or word.nbor().is_punct) for word in rest)


def _has_title_word(run: "Span") -> bool:
    """Return True if the run contains a word that is capitalized only in titles."""
    return any(
        word.lower_ in _TITLE_WORDS
        and _is_capital(word)
        and not _begins(word)
        and not (word.text == "I" and word.i > run.start and word.i == run.end - 1)
        for word in run
    ) or any(word.text == ":" for word in run)


def _is_capital(word: "Token") -> bool:
    if '"' in word.text:
        return False
    return word.text[0].isupper() and (len(word) == 1 or not (word.is_upper and word.lower_ in _TITLE_WORDS))


def _begins(word: "Token") -> bool:
    return word.i == 0 or word.nbor(-1).text in _ENDS or word.nbor(-1).text.endswith(".")


ASIDES = "asides"  # in a parsed claim's user_data: from the index of a word to the parentheses after it
LONGEST_TITLE = 80  # characters; a longer quotation is not a title

_ASIDE = re.compile(r"\s*\([^()]*\)")
_DOUBLED = re.compile(r"\b(and|of|in|was|is|the|by|to|for|with) \1\b")  # typed twice by mistake; `The The` is a band
_TITLE = re.compile(r'["“][^"“”]*["”]|(?<!\w)(?:co|de|ex|non|pre|re|un)-\w+', re.IGNORECASE)


def parsed(language: "Language", claims: Iterable[str], without: Sequence[str] = ()) -> Iterator["Doc"]:
    """Yield the parsed claims, in order. White space is collapsed, and doubled small words are reduced to one.

    `without` are components of the pipeline to disable.
    """
    docs = (_prepared(language, _DOUBLED.sub(r"\1", " ".join(claim.split()))) for claim in claims)
    return map(_with_names, language.pipe(docs, disable=list(without)))


def _with_names(claim: "Doc") -> "Doc":
    """Return the claim with titles tagged as names."""
    for word in claim:
        if " " in word.text:
            word.tag_, word.pos_ = "NNP", "PROPN"
    return claim


def _prepared(language: "Language", claim: str) -> "Doc":
    asides: list[tuple[int, str]] = []
    text, at = "", 0
    for match in _ASIDE.finditer(claim):
        text += claim[at : match.start()]
        if text.strip():
            asides.append((len(text), match[0].strip()))
        else:
            text += match[0]
        at = match.end()
    doc = language.make_doc(text + claim[at:])
    with doc.retokenize() as retokenizer:
        for title in _TITLE.finditer(doc.text):
            span = doc.char_span(title.start(), title.end()) if len(title[0]) <= LONGEST_TITLE else None
            if span is not None and len(span) > 1:
                retokenizer.merge(span)
    with doc.retokenize() as retokenizer:
        for span in titles(doc):
            retokenizer.merge(span)
    ends = [word.idx + len(word) for word in doc]
    doc.user_data[ASIDES] = _behind(asides, ends)
    return doc


def _behind(asides: list[tuple[int, str]], ends: list[int]) -> dict[int, str]:
    """Return the texts in parentheses by the index (from 0) of the word before them.

    `asides` has the character offset and the text of each parenthesis. `ends` has the character offset of the end of
    each word.
    """
    by_word: dict[int, str] = {}
    for place, text in asides:
        word = max((at for at, end in enumerate(ends) if end <= place), default=0)
        by_word[word] = f"{by_word[word]} {text}" if word in by_word else text
    return by_word
