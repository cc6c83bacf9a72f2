"""Words, sentences and stop words: the only place that knows NLTK.

NLTK 3.9.1 is required exactly: later releases cut words differently, and published scores come out to sixteen digits
under 3.9.1 only. The data (punkt_tab for sentences, a list of stop words) stands in `.venv/nltk_data`, where
`script/quickstart.sh` puts it and where NLTK looks by itself.

But: English only; METEOR's WordNet is read by `src/evaluation/wordnet.py`.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from src.errors import MissingExtra
from src.nltk_words.remembered import RememberedWords
from src.nltk_words.sentence_ends import SentenceEnds

if TYPE_CHECKING:
    from src.vocabulary import NumberedWords

NLTK_VERSION = "3.9.1"
_SETUP = "run: bash script/quickstart.sh"


def words(text: str) -> list[str]:
    """The words of a text as `nltk.word_tokenize` gives them: case and punctuation kept, none left out.

    Raises MissingExtra when NLTK is not version 3.9.1 or its punkt_tab data is missing.
    """
    return _nltk().words(text)


def published_words(text: str) -> list[str]:
    """As `words`, by NLTK's own slow function: what others are measured against. Raises as `words`."""
    _nltk()
    from nltk.tokenize import word_tokenize

    found: list[str] = word_tokenize(text)
    return found


def numbered_words(texts: Iterable[str]) -> "NumberedWords":
    """The words of all texts as `words` gives them, as numbers. Raises as `words`."""
    from src.nltk_words.in_bulk import numbered_in_bulk  # numpy, which the page workers do without

    nltk = _nltk()
    return numbered_in_bulk(texts, nltk.words, nltk.ends)


def sentences(text: str) -> list[str]:
    """The sentences of a text as NLTK's punkt finds them, without surrounding white space. Raises as `words`."""
    return _nltk().sentences(text.strip())


def folded(text: str) -> str:
    """The text as it reads without regard to case and white space."""
    return " ".join(text.split()).casefold()


def same(text: str) -> str:
    """What texts have in common that count as one: their words; punctuation, white space and case do not matter."""
    spaced = folded(text)
    return " ".join(re.findall(r"\w+", spaced)) or spaced


@cache
def stop_words() -> frozenset[str]:
    """The 198 English words, lower case, that NLTK's list counts as saying nothing.

    Raises MissingExtra when the list is missing.
    """
    from nltk.corpus import stopwords

    try:
        return frozenset(stopwords.words("english"))
    except LookupError:
        raise MissingExtra(f"NLTK's list of stop words is not installed; {_SETUP}") from None


def require_nltk() -> None:
    """Raises MissingExtra unless the NLTK that scores and BM25 parity rest on is installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("nltk")
    except PackageNotFoundError:
        found = "none"
    if found != NLTK_VERSION:
        raise MissingExtra(
            f"NLTK {NLTK_VERSION} is needed (found {found}), since other releases change the scores; "
            f"run: pip install nltk=={NLTK_VERSION}"
        )


class _NLTK(NamedTuple):
    words: RememberedWords
    sentences: Callable[[str], list[str]]
    ends: SentenceEnds


@cache
def _nltk() -> _NLTK:
    require_nltk()
    from nltk.tokenize import NLTKWordTokenizer, PunktTokenizer

    try:
        punkt = PunktTokenizer()
    except LookupError:
        raise MissingExtra(f"NLTK's punkt_tab data is not installed; {_SETUP}") from None
    known = punkt._params.abbrev_types | {first for first, _ in punkt._params.collocations}
    words = RememberedWords(punkt.tokenize, NLTKWordTokenizer().tokenize)
    return _NLTK(words, punkt.tokenize, SentenceEnds(punkt.text_contains_sentbreak, known))
