"""Splitting of a page's lines into the "sentences" of the knowledge store.

Lines are cleaned first, since invisible characters would hide words from a search. Unicode is composed (NFC). Tabs,
form feeds and line separators within a line become spaces. Other control characters, lone surrogates, byte-order marks,
soft hyphens, zero-width spaces, direction marks and tag characters are removed. The joiners U+200C and U+200D stay,
since they change the meaning in Persian, in Indian scripts and in emoji.

Then the published rule applies (`line_correction` of the AVeriTeC scraper). Short lines are menus and captions and are
dropped. Long lines are split into sentences, which are joined again until they are long enough to be understood alone.

Sentences are split by NLTK's punkt, or by any spaCy pipeline, as in the published scraper. spaCy takes sentence
boundaries from the parser. In its English pipelines the parser needs only `tok2vec`, so the other components are not
loaded; the boundaries stay the same. Other pipelines are loaded completely.

Limitations: no-break spaces, ligatures and full-width letters are unchanged (NFC, not NFKC). As published, repeated
sentences are kept and no language is filtered out. A spaCy splitter is a hundred times slower than punkt or more, and
each process takes seconds to load it.
"""

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache

from src.errors import InputError
from src.spacy_pipelines import load
from src.text import sentences

MIN_LENGTH = 50  # characters; shorter lines, and rests not longer than this, are dropped
MAX_LENGTH = 5000  # characters of a line that are read; the rest is cut off

PUNKT = "punkt"
_SPACY = "spacy:"
_ENGLISH = "en_core_web_"
NEEDLESS = ["tagger", "attribute_ruler", "lemmatizer", "ner"]

Splitter = Callable[[str], list[str]]

_SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
_GONE = (
    (0x00, 0x1F),  # C0
    (0x7F, 0x9F),  # DEL, C1
    (0xAD, 0xAD),  # soft hyphen
    (0x200B, 0x200B),  # zero-width space
    (0x200E, 0x200F),  # left-to-right and right-to-left marks
    (0x202A, 0x202E),  # embedding and overriding of direction
    (0x2060, 0x2064),  # word joiner, invisible operators
    (0x2066, 0x206F),  # isolates, deprecated format characters
    (0xD800, 0xDFFF),  # surrogates
    (0xFEFF, 0xFEFF),  # byte-order mark
    (0xFFFE, 0xFFFF),  # not characters
    (0xE0000, 0xE007F),  # tags
)
_TABLE: dict[int, str | None] = {
    **{code: None for first, last in _GONE for code in range(first, last + 1)},
    **{ord(character): " " for character in _SPACES},
}


def merge_sentences(
    lines: Iterable[str], split: Callable[[str], list[str]], max_size: int = 100, min_size: int = MIN_LENGTH
) -> list[str]:
    """Return the sentences of a page in order, each of `min_size` characters or more.

    A line of `min_size` to `max_size` characters is kept as it is. A longer one is split, and its sentences are joined
    with a space until they are longer than `max_size`. The rest at the end of the line is kept if longer than
    `min_size`.
    """
    merged: list[str] = []
    for line in lines:
        if len(line) > max_size:
            merged += _joined(split(line[:MAX_LENGTH]), max_size, min_size)
        elif len(line) >= min_size:
            merged.append(line)
    return merged


def _joined(sentences: Iterable[str], max_size: int, min_size: int) -> list[str]:
    done, stack = [], ""
    for sentence in sentences:
        stack = f"{stack} {sentence.strip()}".strip()
        if len(stack) > max_size:
            done.append(stack)
            stack = ""
    return [*done, stack] if len(stack) > min_size else done


def clean_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines of a page without invisible characters and in NFC, in order; clean lines are unchanged."""
    return [clean(line) for line in lines]


def clean(line: str) -> str:
    """Return the line without invisible characters, in NFC; a line that changes is also stripped."""
    if line.isascii() and line.isprintable():
        return line
    shown = line if line.isprintable() else line.translate(_TABLE)
    composed = unicodedata.normalize("NFC", shown)
    return composed if composed == line else composed.strip()


@cache
def splitter(spec: str) -> Splitter:
    """Return the sentence splitter for a spec: `punkt`, or `spacy:NAME` such as `spacy:en_core_web_lg`.

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
