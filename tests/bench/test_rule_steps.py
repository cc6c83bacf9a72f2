"""Shares of claims that rules leave whole, and the draw of their steps."""

import json
from pathlib import Path

import pytest

from bench.rule_steps import main

APART, WHOLE = "Anna Berg was born in Oslo and died in Lorn.", "Anna Berg sings."


def test_shares_by_hops_and_drawn_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claims = [
        {"uid": f"u{at}", "claim": claim, "label": "SUPPORTED", "num_hops": hops, "supporting_facts": []}
        for at, (claim, hops) in enumerate([(APART, 2), (WHOLE, 2), (WHOLE, 3)])
    ]
    (tmp_path / "c.json").write_text(json.dumps(claims))
    assert main(["--claims", str(tmp_path / "c.json"), "--steps", "1"]) == 0
    shares, more, drawn = capsys.readouterr().out.splitlines()
    assert shares == "1 of 2 claims of 2 hops stay one step: 50.00%"
    assert more == "1 of 1 claims of 3 hops stay one step: 100.00%"
    assert drawn in ("Anna Berg was born in Oslo.", "Anna Berg died in Lorn.")
