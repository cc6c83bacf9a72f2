"""FEVEROUS-S from files in the layout of FEVEROUS' release."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from src.claims.labelled import read_labelled_claims
from src.programs.build_feverous_s import main
from src.records import Value

CLAIMS = [
    {"id": "", "claim": "", "label": "", "evidence": []},
    {"id": 7, "claim": "Lund is old.", "label": "SUPPORTS", "challenge": "Other",
     "evidence": [{"content": ["Lund_sentence_0", "Ö_sentence_2"], "context": {}}, {"content": ["Lund_sentence_1"]}]},
    {"id": 8, "claim": "Lund has 9 parks.", "label": "REFUTES", "evidence": [{"content": ["Lund_cell_0_1_1"]}]},
    {"id": 9, "claim": "Lund is new.", "label": "REFUTES",
     "evidence": [{"content": ["Lund_sentence_0"]}, {"content": ["Lund_sentence_0", "Lund_table_caption_0"]}]},
    {"id": 10, "claim": "Ö is big.", "label": "NOT ENOUGH INFO", "evidence": [{"content": ["Ö_sentence_2"]}]},
    {"id": 11, "claim": "Ö is flat.", "label": "REFUTES", "evidence": [{"content": ["Ö_sentence_2"]}]},
]  # fmt: skip
PAGES = {"Lund": {"title": "Lund", "sentence_0": "[[Lund]] is\nold.", "sentence_1": "It is."},
         "O\u0308": {"sentence_2": "\u00d6 is steep."}}  # fmt: skip


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("dev.jsonl").write_text("".join(json.dumps(one) + "\n" for one in CLAIMS))
    with closing(sqlite3.connect("wiki.db")) as wiki, wiki:
        wiki.execute("CREATE TABLE wiki (id PRIMARY KEY, data json)")
        wiki.executemany("INSERT INTO wiki VALUES (?, ?)", [(name, json.dumps(page)) for name, page in PAGES.items()])
    return tmp_path


FLAGS = ["-c", "dev.jsonl", "-w", "wiki.db", "-o", "s.json"]


def test_claims_whose_evidence_is_sentences_alone(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(FLAGS) == 0
    assert capsys.readouterr().out == "build_feverous_s: 2 claims (1 supports, 1 refutes) -> s.json\n"
    first, second = read_labelled_claims(Path("s.json"))
    assert (first.key, first.claim, first.value, first.challenge) == ("7", "Lund is old.", Value.TRUE, "Other")
    assert [(one.url, one.sentence) for one in first.gold] == [("Lund", "Lund is old."), ("Ö", "Ö is steep.")]
    assert (second.key, second.value) == ("11", Value.FALSE)


def test_nothing_is_replaced_unasked(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.json").write_text("mine")
    assert main(FLAGS) == 2
    assert Path("s.json").read_text() == "mine"
    assert main([*FLAGS, "--overwrite"]) == 0


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "DELETE FROM wiki WHERE id = 'Lund'",
            'dev.jsonl, line 2, field "evidence": no such sentence: Lund, sentence_0',
        ),
        ("DROP TABLE wiki", "wiki.db: is no file of FEVEROUS' Wikipedia: no such table: wiki"),
    ],
)
def test_a_wikipedia_that_lacks_something(
    world: Path, statement: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect("wiki.db")) as wiki, wiki:
        wiki.execute(statement)
    assert main(FLAGS) == 2
    assert told.replace('"', "") in capsys.readouterr().err.replace('"', "")
    assert not Path("s.json").exists()
