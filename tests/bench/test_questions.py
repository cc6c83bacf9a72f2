"""What is asked in the bench of questions, and what its file keeps."""

from argparse import Namespace
from pathlib import Path

import pytest

from bench.questions.__main__ import main
from bench.questions.asking import CAP, DTYPE, many_sentences, one_claim, row_name
from bench.turns import Speeds, read_rows, write_rows
from src.errors import InputError
from src.records import Claim, Document
from src.store import encode_lines, encode_list


@pytest.fixture
def averitec(tmp_path: Path) -> Path:
    """Three claims, whose stores have two, four and three sentences."""
    (tmp_path / "dev.json").write_bytes(encode_list([Claim(f"claim {place}") for place in range(3)]))
    store = tmp_path / "knowledge_store" / "dev"
    store.mkdir(parents=True)
    for place, count in enumerate((2, 4, 3)):
        page = Document(claim_id=str(place), url="https://a.example/", url2text=[f"{place}.{n}" for n in range(count)])
        (store / f"{place}.json").write_bytes(encode_lines([page]))
    return tmp_path


def test_sentences_of_one_claim_stand_in_its_own_store(averitec: Path) -> None:
    ranked = one_claim(averitec, 3)
    assert (ranked.claim_id, ranked.claim) == (1, "claim 1")
    assert [sentence.sentence for sentence in ranked.sentences] == ["1.0", "1.1", "1.2"]
    with pytest.raises(InputError, match="no claim's store has 5 sentences"):
        one_claim(averitec, 5)


def test_sentences_of_many_claims(averitec: Path) -> None:
    assert many_sentences(averitec, 5) == ["0.0", "0.1", "1.0", "1.1", "1.2"]


def test_rows_of_other_machines_stay(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    here, there = (Speeds("questions/s", [2.0], [1.0], 2.0, machine) for machine in ("here", "there"))
    write_rows(path, {"shape": there, "trained": there})
    write_rows(path, read_rows(path) | {"trained": here})
    assert read_rows(path) == {"shape": there, "trained": here}


def test_the_ban_is_measured_and_noted_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rows", "ban", "--turns", "1", "--json", str(tmp_path / "rows.json")]) == 0
    rows = read_rows(tmp_path / "rows.json")
    assert list(rows) == ["ban, 2 rows", "ban, 64 rows"]
    assert all(row.notes["ms"] for row in rows.values())
    assert "times" in capsys.readouterr().out


def test_a_shape_for_a_gpu_is_refused_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert main(["--rows", "shape", "--json", str(tmp_path / "rows.json")]) == 2
    assert "--shape bloom-7b1: no GPU is at hand" in capsys.readouterr().err
    assert not (tmp_path / "rows.json").exists()


def test_other_number_formats_and_ends_are_other_rows() -> None:
    usual, other = (Namespace(dtype=dtype, cap=cap) for dtype, cap in ((DTYPE, CAP), ("float32", 3700)))
    assert row_name("published beams", usual) == "published beams"
    assert row_name("published beams", other) == "published beams, float32, 3700 tokens"
