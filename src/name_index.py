"""Index of the words of a text, by which names are looked up: in another form, with one slip, as initials.

Upper and lower case, possessives and plurals are not distinguished. In a longer word one letter may differ. A word may
also be the initials of a name in the text.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property

LONG, LONGEST = 5, 30  # length of a word in which one letter may be wrong
MOST_WORDS = 12  # of a name that is compared with others
_SAME = (
    ("us", "usa", "america", "american", "states"), ("uk", "britain", "british", "kingdom", "england", "english"),
    ("covid", "coronavirus", "covid19"), ("eu", "europe", "european"), ("un", "nations"),
)  # fmt: skip
SMALL = {"the", "of", "and", "in", "for", "on", "at", "to", "de", "la", "von", "van", "mr", "mrs", "ms", "dr", "sir"}
_CAPITALIZED = re.compile(r"(?:\b[A-Z][\w\u2019']*\b(?: [A-Z]\.(?= [A-Z]))*[ -]*(?:(?:of|and|for|the|in) +)?){2,9}")
_WORD = re.compile(r"[^\W_]+(?:[.'\u2019][^\W_]+)*")


class NameIndex:
    """Index of the words of a text, by position and by misspelled form. Look-ups are fast in long texts."""

    def __init__(self, text: str) -> None:
        self._words, self._initials = name_words(text), initials(text)
        self._places: dict[str, list[int]] = {}
        for place, word in enumerate(self._words):
            self._places.setdefault(word, []).append(place)
        self._answers: dict[str, bool] = {}
        self._mixes: dict[tuple[str, ...], bool] = {}

    def has(self, word: str) -> bool:
        """Return True if the text has the word in one of its forms, with one letter wrong, or as initials."""
        if word not in self._answers:
            self._answers[word] = self._has_form(word) or word in self._initials or self._has_slip(word)
        return self._answers[word]

    def mixes(self, words: Sequence[str]) -> bool:
        """Return True if the text has each of the words in exactly the given form, but never all together; False for
        a single word, or more than `MOST_WORDS`.
        """
        if not 2 <= len(words) <= MOST_WORDS or not self._places.keys() >= set(words):
            return False
        key = tuple(words)
        if key not in self._mixes:
            self._mixes[key] = not self._near(key)
        return self._mixes[key]

    def _near(self, words: Sequence[str]) -> bool:
        """Return True if the text somewhere has the words together, in any order, with at most one other word between
        them, such as a middle name.
        """
        reach, wanted = len(words) + 1, set(words)
        rarest = min((self._places[word] for word in wanted), key=len)
        return any(
            self._words[at] in wanted and wanted <= set(self._words[at : at + reach])
            for place in rarest
            for at in range(max(0, place - reach + 1), place + 1)
        )

    def _has_form(self, word: str) -> bool:
        same = synonyms(word)
        forms = {
            *same,
            *(f"{other}s" for other in same),
            word,
            word.removesuffix("s"),
            f"{word}s",
            word.removesuffix("es"),
            word.removesuffix("n"),
            f"{word}n",
            f"{word}ns",
        }
        return any(form in self._places for form in forms)

    def _has_slip(self, word: str) -> bool:
        if not LONG <= len(word) <= LONGEST:
            return False
        return any(_is_slip(word, other) for less in _less_one(word) for other in self._by_less.get(less, ()))

    @cached_property
    def _by_less(self) -> dict[str, list[str]]:
        """Return an index of the words: form of a word with at most one letter removed -> words.

        Two words that differ by one slip share such a form.
        """
        by_form: dict[str, list[str]] = {}
        for word in self._places:
            if LONG - 1 <= len(word) <= LONGEST + 1:
                for less in _less_one(word):
                    by_form.setdefault(less, []).append(word)
        return by_form


def synonyms(word: str) -> tuple[str, ...]:
    """Return the words for the same, with the word itself, such as `us`, `usa` and `america`; () if none are known."""
    return next((group for group in _SAME if word in group), ())


def name_words(text: str) -> list[str]:
    """Return the words in lower case, without accents, full stops and possessives."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(one for one in plain if not unicodedata.combining(one)).replace("\u2019", "'")
    tokens = [one.removesuffix("'s").replace(".", "").replace("'", "") for one in _WORD.findall(plain)]
    return [part for one in tokens for part in one.split("-") if part]


def initials(text: str) -> frozenset[str]:
    """Return the initials of each run of capitalized words, and all parts of at least two letters: `World Health
    Organization` gives `who`, `wh` and `ho`, `John F. Kennedy` gives `jfk`, `jf` and `fk`.
    """
    found = set()
    for run in _CAPITALIZED.findall(text):
        letters = "".join(word[0] for word in re.split(r"[\s.-]+", run) if word[:1].isupper()).lower()
        found |= {letters[start:end] for start in range(len(letters)) for end in range(start + 2, len(letters) + 1)}
    return frozenset(found)


def _is_slip(word: str, other: str) -> bool:
    """Return True if the two words differ by one slip: one letter is different, missing or added, or two adjacent
    letters are swapped.
    """
    if len(word) != len(other):
        short, long = sorted((word, other), key=len)
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    wrong = [at for at, (one, its) in enumerate(zip(word, other, strict=True)) if one != its]
    if len(wrong) == 2:
        first, second = wrong
        return second == first + 1 and word[first] + word[second] == other[second] + other[first]
    return len(wrong) == 1


def _less_one(word: str) -> set[str]:
    """Return the word, and every form of it with one letter removed."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
