"""Synonyms of a word in WordNet 3.0, read directly from its files in a tenth of a second.

A word's synonyms are the single-word lemma names of every synset that NLTK 3.9.1 finds for it. `wordnet.synsets(word)`
looks up a word and its base forms (morphy) in the index of each part of speech. NLTK builds an object for each lemma
and pointer of a synset; this module reads only the names from the synset's line.

Format: the manual pages wndb(5WN) and morphy(7WN). Rules of NLTK that differ from morphy(7WN): suffixes are removed
once; the suffixes of a word in the exception list are not removed; the word itself is always looked up, too.

Limitations: no parts of speech, senses, pointers or other languages; WordNet 3.0 only, because other versions give
other scores.
"""

from collections.abc import Callable, Iterator
from functools import cache
from mmap import ACCESS_READ, mmap

from src.errors import MissingExtra
from src.light_imports import light_nltk

File = bytes | mmap

_SETUP = "run: bash script/quickstart.sh"
_LEMMA_COUNTS = {"noun": 117798, "verb": 11529, "adj": 21479, "adv": 4481}  # wnstats(7WN), version 3.0
_VERSION = b"WordNet 3.0 Copyright"
_SUFFIXES: dict[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}


def synonyms(word: str) -> frozenset[str]:
    """Return the single-word lemma names, spelled as in WordNet, in all synsets of the word or its base forms.

    Empty for a word that WordNet lacks.
    Raises MissingExtra if WordNet 3.0 is not installed.
    """
    word = word.lower()
    return frozenset(name for part in _parts() for name in part.names(word) if "_" not in name)


class PartOfSpeech:
    """WordNet's index, exceptions and synsets of one part of speech: nouns, verbs, adjectives or adverbs.

    The index is sorted, and a word is found by bisection. Mapped files therefore take little memory.
    """

    def __init__(self, name: str, read: Callable[[str], File]) -> None:
        """Load the files; `read` returns the bytes of one of WordNet's files.

        Raises MissingExtra if the files are not of version 3.0.
        """
        self.data, self.index = read(f"data.{name}"), read(f"index.{name}")
        self.exceptions = {line.split()[0]: line.split()[1:] for line in _entries(read(f"{name}.exc"))}
        self.suffixes = _SUFFIXES[name]
        if _VERSION not in self.data[:4096] or _lemmas(self.index) != _LEMMA_COUNTS[name]:
            raise MissingExtra(f"WordNet 3.0 is needed, and its {name} files are of another version; {_SETUP}")

    def names(self, word: str) -> Iterator[str]:
        """Yield the lemma names, with repetitions, in all synsets of a word, which must be in lower case."""
        for form in {word, *self._base_forms(word)}:
            if line := self._line(form):
                yield from self._names_on(line)

    def _line(self, word: str) -> str:
        """Return the index line of a word; "" if there is none."""
        if not word or " " in word or "\n" in word:  # would match the license, or a part of a line
            return ""
        wanted = word.encode("utf-8", "surrogatepass") + b" "
        first, last = 0, len(self.index)
        while first < last:
            before = self.index.rfind(b"\n", first, (first + last) // 2)
            start = first if before < 0 else before + 1
            end = self.index.find(b"\n", start)
            line = self.index[start : end if end >= 0 else None]
            if line.startswith(wanted):
                return line.decode()
            if line < wanted:
                first = start + len(line) + 1
            else:
                last = start
        return ""

    def _base_forms(self, word: str) -> list[str]:
        if word in self.exceptions:
            return self.exceptions[word]
        return [word.removesuffix(old) + new for old, new in self.suffixes if word.endswith(old)]

    def _names_on(self, index_line: str) -> Iterator[str]:
        """Yield the lemma names for an index line: `lemma pos N …`, which ends in the N byte offsets of its synsets."""
        fields = index_line.split()
        for offset in fields[-int(fields[2]) :]:
            start = int(offset)
            if self.data[start : start + 8] != offset.encode():
                raise MissingExtra(f"WordNet is damaged: no synset at {offset}; {_SETUP}")
            yield from self._names_at(start)

    def _names_at(self, start: int) -> Iterator[str]:
        """Yield the lemma names in the synset line at an offset: `offset file type N name id name id …`, N in
        hexadecimal.

        The name of an adjective may end in (a), which is removed.
        """
        line = self.data[start : self.data.find(b"|", start)].decode()
        fields = line.split()
        for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
            yield name.partition("(")[0] if name.endswith(")") else name


@cache
def _parts() -> tuple[PartOfSpeech, ...]:
    with light_nltk():
        import nltk.data

    def read(file: str) -> File:
        found = nltk.data.find(f"corpora/wordnet/{file}")
        if isinstance(found, nltk.data.FileSystemPathPointer):
            with open(found.path, "rb") as stream:
                return mmap(stream.fileno(), 0, access=ACCESS_READ)
        with found.open() as stream:  # in a zip
            return bytes(stream.read())

    try:
        return tuple(PartOfSpeech(name, read) for name in _SUFFIXES)
    except (LookupError, OSError, ValueError):  # ValueError: an empty file cannot be mapped
        raise MissingExtra(f"WordNet 3.0 is not installed; {_SETUP}") from None


def _lemmas(index: File) -> int:
    """Return the number of lines of an index file without those of its license."""
    text = index[:]
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    return lines - text.count(b"\n  ") - text.startswith(b"  ")


def _entries(data: File) -> Iterator[str]:
    """Return the lines of a WordNet file without its license, whose lines start with two spaces."""
    return (line for line in data[:].decode().split("\n") if line and not line.startswith(" "))
