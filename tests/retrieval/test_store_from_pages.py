"""From a folder of saved pages to a knowledge store."""

from pathlib import Path

import pytest

from src.knowledge_store import KnowledgeStore
from src.retrieval.store_from_pages import main

TEXT = "The old clock on the ferry struck nine half way across the sound, and nobody had wound it up."
HTML = f"<html><body><article><h1>Clock</h1><p>{TEXT}</p></article></body></html>"


def claim_folder(pages: Path, *, rows: int = 2) -> Path:
    folder = pages / "7"
    folder.mkdir(parents=True)
    lines = [f"7\tclaim\thttps://paper.example/{row}\tclock ferry\n" for row in range(rows)]
    (folder / "urls.tsv").write_text("".join(lines), encoding="utf-8")
    (folder / "00.html").write_text(HTML, encoding="utf-8")
    return folder


def run(tmp_path: Path) -> int:
    return main(["-i", str(tmp_path / "pages"), "-o", str(tmp_path / "store")])


def test_the_committed_store_is_what_the_pages_give(sample: Path, tmp_path: Path) -> None:
    assert main(["-i", str(sample / "pages"), "-o", str(tmp_path)]) == 0
    committed = {file.name: file.read_bytes() for file in (sample / "knowledge_store").iterdir()}
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == committed


def test_one_line_a_row_and_an_empty_one_for_a_page_that_is_missing(tmp_path: Path) -> None:
    claim_folder(tmp_path / "pages")
    assert run(tmp_path) == 0
    first, second = KnowledgeStore(tmp_path / "store")[7]
    assert (first.claim_id, first.type, first.query, first.url) == (
        "7",
        "claim",
        "clock ferry",
        "https://paper.example/0",
    )
    assert first.url2text == [TEXT]
    assert second.url2text == []


def test_files_beside_the_claims_are_left_alone(tmp_path: Path) -> None:
    folder = claim_folder(tmp_path / "pages")
    (folder.parent / "README.md").write_text("notes", encoding="utf-8")
    (folder / "notes.txt").write_text("notes", encoding="utf-8")
    assert run(tmp_path) == 0
    assert [file.name for file in (tmp_path / "store").iterdir()] == ["7.json"]


def test_a_row_with_too_few_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = claim_folder(tmp_path / "pages")
    (folder / "urls.tsv").write_text("7\tclaim\thttps://paper.example/0\tclock\n7\tclaim\n", encoding="utf-8")
    assert run(tmp_path) == 2
    assert "urls.tsv, line 2: 2 columns" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["02.html", "extra.html", "00.pdf"])
def test_a_page_that_no_row_asks_for(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (claim_folder(tmp_path / "pages") / name).write_text(HTML, encoding="utf-8")
    assert run(tmp_path) == 2
    assert "urls.tsv has no row for this page" in capsys.readouterr().err


def test_a_damaged_pdf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (claim_folder(tmp_path / "pages") / "01.pdf").write_bytes(b"nonsense")
    assert run(tmp_path) == 2
    assert "01.pdf: not a readable PDF" in capsys.readouterr().err


def test_a_folder_without_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path) == 2
    assert "no folder there is named by a claim's number" in capsys.readouterr().err


def test_no_urls_tsv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (claim_folder(tmp_path / "pages") / "urls.tsv").unlink()
    assert run(tmp_path) == 2
    assert "urls.tsv: not found" in capsys.readouterr().err
