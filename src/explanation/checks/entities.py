"""Names that neither claim nor evidence has, and names that mix those of several.

A name is told where the source has all its words, in whatever case, possessive or plural, one letter off in a longer
word, or as the initials of a name there. Told words that stand nowhere together are a mix: an intrinsic error.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from src.explanation.checks.grounds import Grounds
from src.explanation.records import Finding
from src.explanation.typology import ErrorType

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

OF_NAMES = {"PERSON", "ORG", "GPE", "LOC", "NORP", "FAC", "EVENT", "WORK_OF_ART", "PRODUCT", "LAW", "LANGUAGE"}
LONG = 5  # letters from which one may be misspelt
_SAME = (
    ("us", "usa", "america", "american", "states"), ("uk", "britain", "british", "kingdom", "england", "english"),
    ("covid", "coronavirus", "covid19"), ("eu", "europe", "european"), ("un", "nations"),
)  # fmt: skip
_OF_TASK = {
    "q", "qa", "qas", "a", "claim", "claims", "supported", "refuted", "evidence", "conflicting", "cherrypicking", "not",
    "enough", "fact", "answer", "question", "source", "yes", "no", "none", "accurate", "correct", "true", "false", "nb",
    "label", "therefore", "hence", "however", "thus",
}  # fmt: skip
_SMALL = {"the", "of", "and", "in", "for", "on", "at", "to", "de", "la", "von", "van", "mr", "mrs", "ms", "dr", "sir"}
_WORD = re.compile(r"[^\W_]+(?:[.'\u2019][^\W_]+)*")


def untold_names(parse: "Doc", place: int, grounds: Grounds) -> Iterator[Finding]:
    """`parse` is the sentence's, by spaCy, with its entities."""
    told, initials = _of_source(grounds.text)
    known, joined = frozenset(told), " ".join(told)
    for name in names(parse):
        words = [word for word in _words(name.text) if word not in _SMALL]
        if not words or set(words) <= _OF_TASK:
            continue
        untold = [word for word in words if not _is_told(word, known, initials)]
        if untold:
            reason = f"neither the claim nor its evidence names {name.text}"
            yield Finding(grounds.claim.claim_id, place, ErrorType.EXTRINSIC_ENTITY, name.text, reason)
        elif _is_mix(words, _words(name.text), told, joined):
            reason = "its words are those of different names in the evidence"
            yield Finding(grounds.claim.claim_id, place, ErrorType.INTRINSIC_ENTITY, name.text, reason)


def _is_mix(words: Sequence[str], whole: Sequence[str], told: Sequence[str], joined: str) -> bool:
    """Whether a name of several words, each of which stands somewhere as it is, stands nowhere as a whole."""
    if len(words) < 2 or len(words) < len(whole) or not set(words) <= set(told):
        return False
    return " ".join(words) not in joined and not _near(words, told)


@lru_cache(64)
def _of_source(text: str) -> tuple[list[str], frozenset[str]]:
    """Its words, and the initials of its names; the same for every sentence of an explanation."""
    return _words(text), _initials(text)


def names(parse: "Doc") -> list["Span"]:
    """Entities that are names, and other words with a capital that begin no sentence."""
    found = [_own(one) for one in parse.ents if one.label_ in OF_NAMES and any(map(str.isupper, one.text))]
    inside = {word.i for one in parse.ents for word in one}
    lone = [word for word in parse if word.pos_ == "PROPN" and word.i not in inside and word.text[:1].isupper()]
    return [*found, *(parse[word.i : word.i + 1] for word in lone if not word.is_sent_start)]


def _near(words: Sequence[str], told: Sequence[str]) -> bool:
    """Whether they stand together somewhere, in any order, with at most one word between, such as a middle name."""
    reach = len(words) + 1
    wanted = set(words)
    return any(told[at] in wanted and wanted <= set(told[at : at + reach]) for at in range(len(told)))


def _is_told(word: str, known: frozenset[str], initials: frozenset[str]) -> bool:
    forms = {
        *next((group for group in _SAME if word in group), ()),
        word,
        word.removesuffix("s"),
        f"{word}s",
        word.removesuffix("es"),
        word.removesuffix("n"),
        f"{word}n",
    }
    if forms & known or word in initials:
        return True
    alike = (one for one in known if abs(len(word) - len(one)) < 2)
    return len(word) >= LONG and any(_is_slip(word, one) for one in alike)


def _is_slip(word: str, other: str) -> bool:
    """One letter is another, missing, too many, or two neighbours are swapped."""
    if len(word) != len(other):
        short, long = sorted((word, other), key=len)
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    wrong = [at for at, (one, its) in enumerate(zip(word, other, strict=True)) if one != its]
    if len(wrong) == 2:
        first, second = wrong
        return second == first + 1 and word[first] + word[second] == other[second] + other[first]
    return len(wrong) == 1


def _words(text: str) -> list[str]:
    """In lower case, without accents, full stops and possessives."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(one for one in plain if not unicodedata.combining(one)).replace("\u2019", "'")
    found = [one.removesuffix("'s").replace(".", "").replace("'", "") for one in _WORD.findall(plain)]
    return [part for one in found for part in one.split("-") if part]


def _initials(text: str) -> frozenset[str]:
    """Of each run of words with capitals, all its parts: `World Health Organization` gives `who`, `wh` and `ho`."""
    found = set()
    for run in re.findall(r"(?:\b[A-Z][\w\u2019']*\b[ -]*(?:(?:of|and|for|the|in) +)?){2,9}", text):
        letters = "".join(word[0] for word in run.split() if word[:1].isupper()).lower()
        found |= {letters[start:end] for start in range(len(letters)) for end in range(start + 2, len(letters) + 1)}
    return frozenset(found)


def _own(name: "Span") -> "Span":
    """Without a possessive of the word before it."""
    return name[1:] if len(name) > 1 and name[0].text.lower() in ("'s", "\u2019s") else name
