"""Words, sentences and stop words: the only module that uses NLTK's tokenizers.

NLTK 3.9.1 is required exactly. Later releases tokenize differently, and published scores are reproduced to sixteen
digits only under 3.9.1. The data (punkt_tab for sentences, a list of stop words) is in `.venv/nltk_data`.
`script/quickstart.sh` puts it there, and NLTK searches that folder by default.

Limitations: English only. METEOR's WordNet is read by `src/evaluation/wordnet.py`.
"""

import re
from collections.abc import Iterable
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from src.errors import MissingExtra
from src.light_imports import light_nltk
from src.nltk_words import RememberedWords

if TYPE_CHECKING:
    from nltk.tokenize import PunktTokenizer

    from src.vocabulary import NumberedWords

NLTK_VERSION = "3.9.1"
_SETUP = "run: bash script/quickstart.sh"


def words(text: str) -> list[str]:
    """Return the tokens of `nltk.word_tokenize` (case and punctuation kept), from a cache.

    Raises MissingExtra when NLTK is not version 3.9.1 or its punkt_tab data is missing.
    """
    return _nltk().words(text)


def published_words(text: str) -> list[str]:
    """Return the tokens of `nltk.word_tokenize` by calling it: the reference for `words`, which is faster.

    Raises MissingExtra when NLTK is not version 3.9.1 or its punkt_tab data is missing.
    """
    _nltk()
    from nltk.tokenize import word_tokenize

    tokens: list[str] = word_tokenize(text)
    return tokens


def numbered_words(texts: Iterable[str]) -> "NumberedWords":
    """Return the tokens of all texts as token ids with a vocabulary; the tokens are those of `words`.

    Raises MissingExtra when NLTK is not version 3.9.1 or its punkt_tab data is missing.
    """
    from src.bulk_words import SentenceEnds, numbered_in_bulk  # imports numpy, which the page workers do not need

    nltk = _nltk()
    known = nltk.punkt._params.abbrev_types | {first for first, _ in nltk.punkt._params.collocations}
    return numbered_in_bulk(texts, nltk.words, SentenceEnds(nltk.punkt.text_contains_sentbreak, known))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, split by NLTK's punkt and stripped.

    Raises MissingExtra when NLTK is not version 3.9.1 or its punkt_tab data is missing.
    """
    result: list[str] = _nltk().punkt.tokenize(text.strip())
    return result


def folded(text: str) -> str:
    """Return the text case-folded, with each run of white space replaced by one space."""
    return " ".join(text.split()).casefold()


def same(text: str) -> str:
    """Return a key for duplicate detection: the case-folded words of the text without punctuation.

    A text without words is its own key, case-folded.
    """
    spaced = folded(text)
    return " ".join(re.findall(r"\w+", spaced)) or spaced


@cache
def stop_words() -> frozenset[str]:
    """Return the 198 English words of NLTK's stop-word list, lower case.

    Raises MissingExtra when the list is missing.
    """
    with light_nltk():
        from nltk.corpus import stopwords

    try:
        return frozenset(stopwords.words("english"))
    except LookupError:
        raise MissingExtra(f"NLTK's list of stop words is not installed; {_SETUP}") from None


def require_nltk() -> None:
    """Raise MissingExtra unless the NLTK version that scores and BM25 parity depend on is installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version("nltk")
    except PackageNotFoundError:
        installed = "none"
    if installed != NLTK_VERSION:
        raise MissingExtra(
            f"NLTK {NLTK_VERSION} is needed (found {installed}), since other releases change the scores; "
            f"run: pip install nltk=={NLTK_VERSION}"
        )


class _NLTK(NamedTuple):
    words: RememberedWords
    punkt: "PunktTokenizer"


_LOADING = Lock()  # several threads may need it first


def _nltk() -> _NLTK:
    with _LOADING:
        return _loaded_nltk()


@cache
def _loaded_nltk() -> _NLTK:
    require_nltk()
    with light_nltk():
        from nltk.tokenize import NLTKWordTokenizer, PunktTokenizer

    try:
        punkt = PunktTokenizer()
    except LookupError:
        raise MissingExtra(f"NLTK's punkt_tab data is not installed; {_SETUP}") from None
    return _NLTK(RememberedWords(punkt.tokenize, NLTKWordTokenizer().tokenize), punkt)
