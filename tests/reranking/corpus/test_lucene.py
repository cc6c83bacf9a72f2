"""Lucene's words and its BM25, against scores that were worked out by hand on four short paragraphs."""

from pathlib import Path

import numpy as np
import pytest

from src.records import Paragraph
from src.reranking.bm25 import BM25
from src.reranking.corpus.corpus import Corpus
from src.reranking.corpus.lexicon import OWN
from src.reranking.corpus.lucene import LUCENE, in_one_byte
from src.store import encode_lines

PARAGRAPHS = [
    Paragraph("Alder", "The river runs."),  # alder river run: 3 words
    Paragraph("Bern", "The river, and the river's old mill."),  # bern river river old mill: 5
    Paragraph("Cork", "A mill."),  # cork mill: 2
    Paragraph("Dover", "The port of Dover is old and its ships are not."),  # dover port dover old it ship: 6
]


def test_scores_worked_out_by_hand() -> None:
    """N = 4, mean length (3 + 5 + 2 + 6) / 4 = 4, k1 = 0.9, b = 0.4.

    norm = 0.9 * (0.6 + 0.4 * length / 4): of 3 words 0.81, of 5 words 0.99, of 2 words 0.72, of 6 words 1.08.
    river, mill and old stand in two of four: idf = ln(1 + 2.5 / 2.5) = 0.693147; dover in one: ln(1 + 3.5 / 1.5) =
    1.203973.
    river:  1 / 1.81 * 0.693147 = 0.382954;  2 / 2.99 * 0.693147 = 0.463644
    mill:   1 / 1.99 * 0.693147 = 0.348315;  1 / 1.72 * 0.693147 = 0.402993
    dover:  2 / 3.08 * 1.203973 = 0.781800;  old there: 1 / 2.08 * 0.693147 = 0.333244
    """
    corpus = Corpus.of(PARAGRAPHS, lexicon=LUCENE)
    rankings = corpus.bm25(["the river", "mill", "Dover's old", "River rivers"], 4)
    assert [[(hit.place, round(hit.score, 6)) for hit in hits] for hits in rankings] == [
        [(1, 0.463644), (0, 0.382954)],
        [(2, 0.402993), (1, 0.348315)],
        [(3, 1.115044), (1, 0.348315)],
        [(1, 0.927287), (0, 0.765908)],
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Alder's bridges", ["alder", "bridg"]),
        ("O\u2019Hara\u2019s", ["o\u2019hara"]),
        ("1,500.5 tons at 3:30, p.m.", ["1,500.5", "ton", "3", "30", "p.m"]),
        ("state-of-the-art 2004\u201305", ["state", "art", "2004", "05"]),
        ("x_y _ __", ["x_y"]),
        ("agreed geology possibly", ["agre", "geologi", "possibl"]),
        ("\u6771\u4eac", ["\u6771", "\u4eac"]),
        ("a" * 300, ["a" * 255, "a" * 45]),
        ("This is not it", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert LUCENE.words(text) == words


def test_lengths_in_one_byte() -> None:
    lengths = np.array([0, 23, 24, 39, 40, 41, 42, 55, 57, 100, 1000])
    assert in_one_byte(lengths).tolist() == [0, 23, 24, 39, 40, 40, 42, 54, 56, 96, 984]


def test_a_kept_index_is_that_of_its_formula(tmp_path: Path) -> None:
    file = tmp_path / "paragraphs.jsonl"
    file.write_bytes(encode_lines(PARAGRAPHS))
    in_memory = {
        lexicon.name: Corpus.of(PARAGRAPHS, lexicon=lexicon).bm25(["old river"], 4) for lexicon in (OWN, LUCENE)
    }
    for lexicon in (LUCENE, OWN, LUCENE, OWN):
        corpus = Corpus.open(file, lexicon=lexicon)
        assert isinstance(corpus.words, BM25)
        assert corpus.words.formula == lexicon.formula
        assert corpus.bm25(["old river"], 4) == in_memory[lexicon.name]
    assert in_memory["lucene"] != in_memory["bm25"]
