"""The printed form of explanations."""

from pathlib import Path

import pytest

from src.explanation import show
from src.explanation.records import Debate, ExplainedClaim, Stop
from src.records import QAPair
from src.store import encode_lines


def test_sentences_have_their_numbers_and_the_evidence_is_below(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evidence = [QAPair("Who?", "Ann."), QAPair("Where?", "In\nrivers."), QAPair("Why?", "Nobody knows.")]
    debate = Debate(Stop.AGREED, 1, 7, 0, False, [], kept_back="the revision is too long")
    claims = [
        ExplainedClaim(3, "Eels fly.", "Refuted", evidence, "", "", "", "Eels swim. So no.", [[2, 1], []], debate),
        ExplainedClaim(4, "Frogs sing.", "Supported"),
    ]
    (tmp_path / "e.json").write_bytes(encode_lines(claims))
    assert show.main([str(tmp_path / "e.json")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "[3] Eels fly.",
        "Refuted: Eels swim. [2] [1] So no.",
        "  [1] Who? Ann.",
        "  [2] Where? In rivers.",
        "  debate: agreed, 1 round, 7 calls, kept the draft: the revision is too long",
        "[4] Frogs sing.",
        "Supported: (none)",
    ]
    assert show.main([str(tmp_path / "e.json"), "--claim", "9"]) == 2
    assert "no claim 9; its claims: 3-4" in capsys.readouterr().err
