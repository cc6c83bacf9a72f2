"""run_system.sh as the organizers call it: the download is timed apart, scores follow where the claims have labels."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from src.fever8.system import SCRIPTS
from src.fever8.timings import DOWNLOAD, MAIN, read_timings
from tests.fever8.folders import made, replace, with_stand_in, write_claims

pytestmark = pytest.mark.long
RESULTS = Path("data_store/small")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return with_stand_in(made(tmp_path / "a folder", monkeypatch, "--strategy", "programs"))


def run(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(folder / "run_system.sh")], cwd="/", env={**os.environ, **variables}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def test_download_and_inference_are_timed_apart(folder: Path, tmp_path: Path) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text(json.dumps([{"claim": "Eels swim.", "claim_id": 0}, {"claim": "Eels fly.", "claim_id": 1}]))
    replace(
        folder / "download_data.sh", f"sleep 1; mkdir -p data_store/averitec; cp {claims} data_store/averitec/test.json"
    )
    done = run(folder)
    assert done.returncode == 0, done.stderr
    timings = read_timings(folder / RESULTS / "measured_timings.txt")
    assert timings[DOWNLOAD].seconds >= 1
    assert timings[DOWNLOAD].ended <= timings[MAIN].began <= timings[MAIN].ended
    assert (folder / RESULTS / "submission.csv").is_file()
    assert not (folder / RESULTS / "scores.json").exists()  # there are no labels


def test_scores_follow_where_there_are_labels(folder: Path) -> None:
    data = folder / "data_store/averitec"
    data.mkdir(parents=True)
    (data / "dev.json").write_text(json.dumps([{"claim": "Eels swim.", "claim_id": 0}]))
    write_claims(folder / "labels.json", ["Eels swim."])
    done = run(folder, SPLIT="dev", DATA_IS_HERE="1", LABELS="labels.json")
    assert done.returncode == 0, done.stderr
    assert json.loads((folder / RESULTS / "scores.json").read_bytes())["veracity"]["acc"] == 1
    assert "Data Download: none" in (folder / RESULTS / "measured_timings.txt").read_text()


@pytest.mark.parametrize("name", SCRIPTS)
def test_variables_of_the_caller_change_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(tmp_path / "folder", monkeypatch, "--strategy", "programs")
    others = [*SCRIPTS, "script/setup.sh", ".venv/bin/python"]
    (folder / ".venv").unlink()
    for other in others:
        if other != name:
            (folder / other).parent.mkdir(parents=True, exist_ok=True)
            replace(folder / other, "#!/usr/bin/env bash\nenv\n")
    names = ("FAILED_CLAIMS_CODE", "RAY_ADDRESS", "HF_HUB_CACHE", "TRANSFORMERS_CACHE", "SENTENCE_TRANSFORMERS_HOME")
    environment = {**os.environ, **dict.fromkeys(names, "9"), "DATA_IS_HERE": "1"}
    done = subprocess.run(["bash", str(folder / name)], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "HOME=" in done.stdout) == (0, True)
    assert not [variable for variable in names if f"{variable}=" in done.stdout]


def test_a_download_or_an_inference_that_fails_ends_the_run(folder: Path) -> None:
    replace(folder / "download_data.sh", "exit 1")
    assert run(folder).returncode == 2
    assert MAIN not in read_timings(folder / RESULTS / "measured_timings.txt")
    replace(folder / "system_inference.sh", "exit 7")
    assert run(folder, DATA_IS_HERE="1").returncode == 7
