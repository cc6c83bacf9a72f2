"""A training step that is killed and started again gives the folder of an uninterrupted run."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from src.training.results import read_results
from tests.tiny_models import make_causal
from tests.training.small_claims import write_claims

pytestmark = pytest.mark.slow

STEP = "src.training.train_question_generator"
SMALL = ["--steps", "40", "--every", "2", "--batch", "4", "--rank", "2", "--alpha", "4", "--dropout", "0.1",
         "--patience", "100", "--scored", "2", "--asked", "2"]  # fmt: skip
LIMIT = 240.0  # seconds


def _command(folder: Path, base: Path) -> list[str]:
    output = ["-o", str(folder / "made"), "--results", str(folder / "results.jsonl")]
    return [
        sys.executable,
        "-m",
        STEP,
        "--train",
        str(write_claims(folder)),
        "--leave_out",
        "none",
        "--base",
        f"hf:{base}",
        *output,
        *SMALL,
    ]


def _kill_after_a_score(folder: Path, command: list[str], root: Path) -> None:
    """Kill the step and its child processes as soon as it has saved a state."""
    started = time.monotonic()
    run = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, start_new_session=True)
    while run.poll() is None and not (folder / ".made.training" / "state.pt").exists():
        assert time.monotonic() - started < LIMIT
        time.sleep(0.005)
    os.killpg(run.pid, signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL, "it had ended before it was killed: take more steps"


def test_killed_and_started_again(tmp_path: Path, project_root: Path) -> None:
    base = make_causal(tmp_path / "tiny")
    folders = [tmp_path / name for name in ("killed", "whole")]
    for folder in folders:
        folder.mkdir()
    killed, whole = (_command(folder, base) for folder in folders)
    _kill_after_a_score(folders[0], killed, project_root)
    done = subprocess.run(killed, cwd=project_root, capture_output=True, text=True, check=True, timeout=LIMIT)
    assert "going on after step" in done.stdout
    subprocess.run(whole, cwd=project_root, capture_output=True, check=True, timeout=LIMIT)
    for name in ("adapter_model.safetensors", "adapter_config.json", "loss.svg"):
        assert (folders[0] / "made" / name).read_bytes() == (folders[1] / "made" / name).read_bytes(), name
    assert not (folders[0] / ".made.training").exists()
    (result,) = read_results(folders[0] / "results.jsonl")
    assert result.scores == read_results(folders[1] / "results.jsonl")[0].scores
