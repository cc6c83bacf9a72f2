"""FEVEROUS-S from files in the layout of FEVEROUS' release."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from src.claims import read_labelled_claims
from src.programs.build_feverous_s import main
from src.records import Value
from src.runner.output import read_failures
from src.store import sha256

CLAIMS: list[dict[str, Any]] = [
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


def test_nothing_is_replaced_without_overwrite(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.json").write_text("mine")
    assert main(FLAGS) == 2
    assert Path("s.json").read_text() == "mine"
    assert main([*FLAGS, "--overwrite"]) == 0


def changed(statement: str) -> None:
    with closing(sqlite3.connect("wiki.db")) as wiki, wiki:
        wiki.execute(statement)


def manifest() -> Any:
    return json.loads(Path("s.manifest.json").read_text())


def test_the_manifest_records_the_run(world: Path) -> None:
    assert main(FLAGS) == 0
    made = manifest()
    assert made["fingerprint"]["step"] == "src.programs.build_feverous_s"
    assert set(made["fingerprint"]["inputs"]) == {"claim_file", "wiki_file"}
    assert made["counts"] == {"claims": 2, "supports": 1, "refutes": 1, "first_set_empty": 0}
    assert made["output_sha256"] == sha256(Path("s.json"))


def test_a_claim_whose_first_set_is_empty_is_left_out_and_counted(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"id": 12, "claim": "It is.", "label": "SUPPORTS", "evidence": [{"content": []}, CLAIMS[1]["evidence"][1]]}
    with Path("dev.jsonl").open("a") as file:
        file.write(json.dumps(more))
    assert main([*FLAGS, "--dry_run"]) == 0
    assert capsys.readouterr().out == "build_feverous_s: 2 claims\n"
    assert main(FLAGS) == 0
    note = "1 claim left out: the first evidence set is empty"
    assert capsys.readouterr().out.splitlines()[0] == f"build_feverous_s: note: {note}"
    assert [one.key for one in read_labelled_claims(Path("s.json"))] == ["7", "11"]
    assert (manifest()["notes"], manifest()["counts"]["first_set_empty"]) == ([note], 1)


def test_a_missing_sentence_fails_its_claim_alone(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed("DELETE FROM wiki WHERE id = 'Lund'")
    assert main(FLAGS) == 1
    message = "dev.jsonl, line 2, field evidence: no such sentence: Lund_sentence_0"
    out, err = capsys.readouterr()
    assert out == "build_feverous_s: 1 claim (0 supports, 1 refutes) -> s.json\n"
    assert err == f"build_feverous_s: 1 of 2 claims failed and are left out of s.json. The first, claim 7: {message}\n"
    assert [one.key for one in read_labelled_claims(Path("s.json"))] == ["11"]
    (failure,) = read_failures(Path("s.json"))
    assert (failure.claim_id, failure.error, failure.message) == (7, "ClaimError", message)
    assert manifest()["failures"] == 1


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE wiki SET data = NULL WHERE id = 'Lund'", "wiki.db: page 'Lund' cannot be read: its data is not text"),
        ("UPDATE wiki SET data = '{' WHERE id = 'Lund'", "wiki.db: page 'Lund' cannot be read: Expecting property"),
        ("UPDATE wiki SET data = 3 WHERE id = 'Lund'", "wiki.db: page 'Lund' cannot be read: its data is not text"),
        ("UPDATE wiki SET data = '[]' WHERE id = 'Lund'", "page 'Lund' cannot be read: it is not a JSON object"),
        ("DROP TABLE wiki", "wiki.db: is not a file of FEVEROUS' Wikipedia: no such table: wiki"),
    ],
)
def test_a_damaged_wikipedia(world: Path, statement: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    changed(statement)
    assert main(FLAGS) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not Path("s.json").exists()


def test_an_id_that_is_no_number_is_named(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("dev.jsonl").write_text(json.dumps(CLAIMS[1] | {"id": "k7"}))
    assert main(FLAGS) == 2
    assert capsys.readouterr().err == "error: dev.jsonl, line 1, field id: 'k7' is no whole number\n"


def test_no_input_is_overwritten(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-c", "dev.jsonl", "-w", "wiki.db", "-o", "dev.jsonl", "--overwrite"]) == 2
    assert "dev.jsonl: the output would overwrite --claim_file" in capsys.readouterr().err
