"""Required contents of an nltk_data folder, and how they are checked.

Sentence ends, synonyms and stop words decide scores, so all are checked. punkt_tab's English files and the stop words
must have known bytes. WordNet either has the bytes of Debian's package, or the numbers of words, synsets and senses
that its manual states for version 3.0 (wnstats). Builds of the same WordNet differ in a few bytes of glosses and
offsets, which no score reads.

Limitations: covers only what the project reads; other languages and corpora in a target folder are ignored.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from src.store import sha256

PUNKT = Path("tokenizers/punkt_tab/english")
WORDNET = Path("corpora/wordnet")
STOP_WORDS = Path("corpora/stopwords/english")  # a file; other languages may be beside it
MULTILINGUAL = Path("corpora/omw-1.4")  # NLTK's WordNet reader insists on the folder; it may be empty

PUNKT_FILES = {
    "abbrev_types.txt": "92a3e070f43d9b4c5534758ca40ad7343b04e7e29bfe0c2eb658a39445a4f779",
    "collocations.tab": "8e2da1225e4dd2cc9dba261ee231ccb134859e21b46006e7f472c5ee269af0cf",
    "ortho_context.tab": "4bbcca25ed3d3f06c02402abf8419b9f033b8adc06e7b482eca4e45f81a5dc4c",
    "sent_starters.txt": "f3f8535483e1dba487241b764945168123bca3209a9645e59acd1225dc76edac",
}
STOP_WORDS_SHA256 = "f6d005956f407dbc6ea32e5ff0c7e8e6f71488d3239b9023efdc7fc139d6375b"
WORDNET_FILES = {
    "data.adj": "c89120dfc1f046ddff4a631bf9b7e9fa1a36b5e86565a23bf82dbe14f30b88a7",
    "data.adv": "444a63bf3955080ab7524f5079cfc07ff9bc682cb98bdb1db73b0fb9829f1139",
    "data.noun": "fea17d2f9656611334eac790e5d69e47645fa180c4aa481fb4cd9b3520754ca2",
    "data.verb": "adcf43e35b581e8036d8b5a52d63d9cd3d3b4870b2720d3c03c799df44777bc2",
    "index.adj": "c9865d7b4d1f805bdef82ccdcea5282436e23083e6f6f1b33e716327c4eda810",
    "index.adv": "6f5465ed5758fe9c8a2f7ec17b1300f3aa875756c70ff7cba162f7e71bcf88ea",
    "index.noun": "a490d99d93d017bf4822fe2f0ffa51fd73911ce271dc7535fade21f8814b5a04",
    "index.sense": "ce997000ec806318ff1dfadf77d314ac527358e127d7bbe3d1f4e83a1c5c1c2b",
    "index.verb": "e2ac24816c3a8289dcb72aaa9cf8db81fdf25ec34d792bfc96ac5b7a20c8b4ae",
    "adj.exc": "8824cc24bbedd797b9702316b27f07cd4c2b76b629539f0a1276f03926758016",
    "adv.exc": "e7291461b629abfe63301bbe1998cee09fd575ed7107abd7ea9763adb05bf0a8",
    "noun.exc": "2b5d675c380b39ecf595af9fa9d4e7feb1d58c643b0bff08c40ed5bfe41fab7a",
    "verb.exc": "dbbcf9a601b2d77e934e413b91d90e88ec7f933a8b77cfc00602a923b891b42c",
    "cntlist.rev": "a198580b8f705fa02797bba8b13e5cbe4a9f9f40cb1697e774c7fc6a5865b035",
}


class Statistics(msgspec.Struct, frozen=True):
    """Numbers of words, synsets and word-sense pairs of one part of speech in WordNet."""

    words: int
    synsets: int
    senses: int


WORDNET_30 = {
    "noun": Statistics(117798, 82115, 146312),
    "verb": Statistics(11529, 13767, 25047),
    "adj": Statistics(21479, 18156, 30002),
    "adv": Statistics(4481, 3621, 5580),
}

# The 45 lexicographer files in the order of their numbers, as WordNet's manual page lexnames(5WN) lists them.
_LEXICOGRAPHER_FILES = (
    ("adj", "all pert"),
    ("adv", "all"),
    (
        "noun",
        "Tops act animal artifact attribute body cognition communication event feeling food group location motive "
        "object person phenomenon plant possession process quantity relation shape state substance time",
    ),
    (
        "verb",
        "body change cognition communication competition consumption contact creation emotion motion perception "
        "possession social stative weather",
    ),
    ("adj", "ppl"),
)
_CATEGORIES = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


def lexnames() -> str:
    """Return WordNet's file `lexnames`, which Debian does not package: number, name, part of speech; one line each."""
    files = [(category, name) for category, names in _LEXICOGRAPHER_FILES for name in names.split()]
    return "".join(f"{n:02}\t{category}.{name}\t{_CATEGORIES[category]}\n" for n, (category, name) in enumerate(files))


def fault(data: Path) -> str | None:
    """Return what is missing or wrong in an nltk_data folder, in a few words; None if it is complete."""
    for name, digest in PUNKT_FILES.items():
        if not (data / PUNKT / name).is_file():
            return f"{PUNKT / name} is missing"
        if sha256(data / PUNKT / name) != digest:
            return f"{PUNKT / name} has unknown content"
    if not (data / STOP_WORDS).is_file():
        return f"{STOP_WORDS} is missing"
    if sha256(data / STOP_WORDS) != STOP_WORDS_SHA256:
        return f"{STOP_WORDS} has unknown content"
    for name in (*WORDNET_FILES, "lexnames"):
        if not (data / WORDNET / name).is_file():
            return f"{WORDNET / name} is missing"
    if (data / WORDNET / "lexnames").read_text("utf-8") != lexnames():
        return f"{WORDNET / 'lexnames'} has unknown content"
    if not (data / MULTILINGUAL).is_dir():
        return f"{MULTILINGUAL} is missing"
    return _wordnet_fault(data / WORDNET)


def _wordnet_fault(folder: Path) -> str | None:
    if all(sha256(folder / name) == digest for name, digest in WORDNET_FILES.items()):
        return None
    for category, expected in WORDNET_30.items():
        counts = statistics(folder, category)
        if counts != expected:
            return f"{WORDNET} is not WordNet 3.0: {category} has {counts}"
    return None


def statistics(folder: Path, category: str) -> Statistics:
    """Count the entries of one part of speech in WordNet's files `index.CATEGORY` and `data.CATEGORY`."""
    senses = [int(line.split(b" ", 3)[2]) for line in _entries(folder / f"index.{category}")]
    return Statistics(len(senses), sum(1 for _ in _entries(folder / f"data.{category}")), sum(senses))


def _entries(path: Path) -> Iterator[bytes]:
    """Yield the entries of a WordNet file: its lines except those of the license, which begin with two spaces."""
    with path.open("rb") as file:
        yield from (line for line in file if not line.startswith(b"  "))
