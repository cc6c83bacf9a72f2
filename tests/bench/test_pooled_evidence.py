"""`bench.pooled_evidence`: pages of all claims, each sentence once."""

from pathlib import Path

import pytest

from bench.pooled_evidence import main, paragraphs
from src.claims import LabelledClaim
from src.records import Paragraph, Sentence, Value


def claim(claim_id: int, *gold: tuple[str, str]) -> LabelledClaim:
    return LabelledClaim(
        claim_id, "a", "A.", Value.TRUE, None, tuple(Sentence(text, title) for title, text in gold), ()
    )


def test_a_page_has_the_sentences_of_all_claims_in_order() -> None:
    first = claim(0, ("Lund", "It is old."), ("Ystad", "It has a port."))
    second = claim(1, ("Lund", "It has a school."), ("Lund", "It is old."))
    assert paragraphs([first, second]) == [
        Paragraph("Lund", "It is old. It has a school."),
        Paragraph("Ystad", "It has a port."),
    ]
    assert paragraphs([claim(2)]) == []


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "out.jsonl"), "--feverous", str(tmp_path / "no.json")]) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 'no.json'}: not found")
