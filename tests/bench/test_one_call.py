"""`bench.one_call`: the rows of systems, from predictions with a manifest or without one."""

from pathlib import Path

import msgspec
import pytest

from bench.one_call.__main__ import main, row_of
from src.errors import InputError
from src.pipeline.one_call import STEP
from src.records import Prediction, QAPair, Verdict
from src.runner.manifest import manifest_path
from src.store import encode_list
from tests.bench.numbered_claims import CLAIMS


def _predictions(folder: Path) -> Path:
    path = folder / "predictions.json"
    pairs = [QAPair("Which one is 1?", "It is 1.", "https://page.example")]
    verdicts = [Verdict.SUPPORTED, *3 * [Verdict.REFUTED]]
    path.write_bytes(encode_list([Prediction(n, f"Claim {n}.", pairs, verdicts[n]) for n in range(4)]))
    return path


def test_a_published_file_has_scores_alone(tmp_path: Path) -> None:
    row = row_of("theirs", _predictions(tmp_path), CLAIMS, 4)
    assert row.verdicts == {"Supported": 1, "Refuted": 3}
    assert row.scores.veracity["acc"] == 0.75
    assert row.scores.baselines is not None
    assert (row.counts, row.failures) == ({}, 0)


def test_counts_come_from_the_manifest(tmp_path: Path) -> None:
    path = _predictions(tmp_path)
    manifest = {
        "fingerprint": {"step": STEP, "settings": {}, "inputs": {}, "first": 0, "last": 3, "claims": 4},
        "arguments": {}, "counts": {"asked_again": 2}, "notes": [], "deterministic": True, "model": None,
        "seconds": {"work": 9.0, "wall": 1.0}, "source_sha256": "", "revision": None, "python": "", "packages": {},
        "failures": 1,
    }  # fmt: skip
    manifest_path(path).write_bytes(msgspec.json.encode(manifest))
    row = row_of("ours", path, CLAIMS, 4)
    assert (row.counts, row.failures) == ({"asked_again": 2}, 1)
    with pytest.raises(InputError, match="was made for claims 0 to 3"):
        row_of("ours", path, CLAIMS[:2], 4)


def test_an_argument_without_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["AIC"])
    assert "AIC is not NAME=FILE" in capsys.readouterr().err
