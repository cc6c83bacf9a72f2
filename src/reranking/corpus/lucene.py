"""BM25 with the defaults of Pyserini: Lucene's words and formula, k1 = 0.9, b = 0.4 (ProgramFC, section 4).

    score(d, q) = sum over the words w of q, repeats counted, of idf(w) tf / (tf + k1 (1 - b + b |d| / avgdl))
    idf(w) = ln(1 + (N - n + 0.5) / (n + 0.5))

Lucene stores a text's length in one byte. A length of up to 40 words is exact; of a longer one, the part above 24 words
keeps its four highest bits. The mean length is exact. (Lucene's BM25Similarity and SmallFloat.)

Words are runs of letters and digits by the rules of Unicode's annex 29, in lower case. A possessive `'s` and the 33
stop words are removed. Words are stemmed by Porter's algorithm as in its author's program (Lucene's EnglishAnalyzer).

Limitations: scores are in double precision, Lucene's in single. Marks that stand alone after a letter end a word.
"""

import re
from functools import lru_cache

import nltk
import numpy as np
import numpy.typing as npt
from nltk.stem.porter import PorterStemmer

from src.reranking.bm25 import Floats, Formula
from src.reranking.corpus.lexicon import Lexicon

K1, B = 0.9, 0.4
LONGEST_WORD = 255  # characters; a longer one is cut into pieces
EXACT = 24  # words of a text; what is above it has four bits

STOP_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
))  # fmt: skip
_ALONE = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # hiragana and ideographs: a word each
_LETTER = rf"[^\W\d_{_ALONE}]"
_WORD = re.compile(
    rf"[{_ALONE}]|_*[^\W_{_ALONE}](?:[^\W{_ALONE}]|(?<={_LETTER})[.:'\u2018\u2019\u00b7](?={_LETTER})"
    r"|(?<=\d)[.,;'\u2018\u2019](?=\d))*"
)
_POSSESSIVE = re.compile(r"['\u2019\uff07][sS]$")
_STEMMER = PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS)


def cut(chunk: str) -> list[str]:
    """Return the words of a chunk of text; the chunk contains no white space."""
    pieces = (piece for word in _WORD.findall(chunk) for piece in _pieces(word))
    lowered = (_POSSESSIVE.sub("", word).lower() for word in pieces)
    return [_stem(word) for word in lowered if word not in STOP_WORDS]


def _pieces(word: str) -> list[str]:
    return [word[at : at + LONGEST_WORD] for at in range(0, len(word), LONGEST_WORD)]


@lru_cache(1 << 16)
def _stem(word: str) -> str:
    return str(_STEMMER.stem(word, to_lowercase=False))


def idf(holders: npt.NDArray[np.int64], size: int) -> Floats:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)) for each word (shape [words]).

    `holders` is n, the number of texts that contain each word; `size` is N, the number of all texts.
    """
    values: Floats = np.log1p((size - holders + 0.5) / (holders + 0.5))
    return values


def in_one_byte(lengths: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Return the lengths of texts in words as Lucene reads them back from one byte (shape [texts])."""
    above = np.maximum(lengths.astype(np.int64) - EXACT, 0)
    dropped = np.maximum(np.frexp(above.astype(np.float64))[1] - 4, 0)
    return np.where(lengths < EXACT, lengths, EXACT + (above >> dropped << dropped))


LUCENE = Lexicon(
    "lucene",
    f"Lucene's English words, NLTK {nltk.__version__}",
    cut,
    Formula("lucene", K1, B, 1.0, idf, in_one_byte),
)
