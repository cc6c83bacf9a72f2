"""Sentence splitters: NLTK's punkt, or any spaCy pipeline, as in the published scraper.

spaCy takes sentence boundaries from the parser. In its English pipelines the parser needs `tok2vec` alone, so the other
components are left out there without changing a boundary. Other pipelines run whole.

Limitations: a spaCy splitter is a hundred times slower than punkt or more, and each process takes seconds to load it.
"""

from collections.abc import Callable
from functools import cache

from src.errors import InputError
from src.spacy_pipelines import load
from src.text import sentences

PUNKT = "punkt"
_SPACY = "spacy:"
_ENGLISH = "en_core_web_"
NEEDLESS = ["tagger", "attribute_ruler", "lemmatizer", "ner"]

Splitter = Callable[[str], list[str]]


@cache
def splitter(spec: str) -> Splitter:
    """Return the splitter of that name: `punkt`, or `spacy:NAME` such as `spacy:en_core_web_lg`.

    Raises InputError for any other name, MissingExtra with the command that installs a missing package.
    """
    if spec == PUNKT:
        return sentences
    name = spec.removeprefix(_SPACY)
    if name == spec or not name:
        raise InputError(f"splitter {spec!r} is not known; it is {PUNKT} or {_SPACY}NAME")
    return _spacy(name)


def _spacy(name: str) -> Splitter:
    pipeline = load(name, NEEDLESS if name.startswith(_ENGLISH) else [])

    def split(text: str) -> list[str]:
        with pipeline.memory_zone():  # otherwise spaCy keeps every new word
            return [sentence.text for sentence in pipeline(text).sents]

    return split
