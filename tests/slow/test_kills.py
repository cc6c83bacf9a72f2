"""A hundred kills at random moments do not change the output.

The seed is fixed, but when a kill hits the work differs from machine to machine.
"""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from src.pipeline.rank import STEP
from src.reranking import bm25_sentences
from tests.runner import letters_step
from tests.runner.killing import count_lines, finish, kill_after, start
from tests.runner.small_world import World, outcome, write_script, write_world

KILLS = 100

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("workers", ["1", "3"])
def test_a_step_killed_at_random_lines(tmp_path: Path, project_root: Path, workers: str) -> None:
    world = write_world(tmp_path, [f"claim number {number}" for number in range(400)])
    flags = ["-c", str(world.claims), "-o", str(world.output), "--batch", "2", "--workers", workers]
    assert letters_step.main([*flags, "--quiet"]) == 0
    expected = outcome(world.output)
    progress = world.output.with_name("result.json.progress")
    random_lines = random.Random(1)
    kills = 0
    while kills < KILLS:
        shutil.rmtree(world.output.parent)
        killed = True
        while killed and kills < KILLS:
            process = start(letters_step.MODULE, flags, project_root, LETTERS_SECONDS="0.001")
            killed = kill_after(process, progress, count_lines(progress) + random_lines.randrange(60))
            kills += killed
        assert finish(start(letters_step.MODULE, flags, project_root))[0] == 0
        assert outcome(world.output) == expected


def test_ranking_killed_at_random_lines(tmp_path: Path, project_root: Path, sample: Path) -> None:
    world = World(tmp_path)
    flags = ["-c", str(sample / "claims.json"), "-k", str(sample / "knowledge_store"), "-o", str(world.output)]
    assert bm25_sentences.main([*flags, "--quiet"]) == 0
    expected = outcome(world.output)
    progress = world.output.with_name("result.json.progress")
    random_lines = random.Random(2)
    for _ in range(KILLS // 10):
        shutil.rmtree(world.output.parent)
        for lines in sorted(random_lines.sample(range(13), 3)):
            kill_after(start(STEP, flags, project_root), progress, lines)
        assert finish(start(STEP, flags, project_root))[0] == 0
        assert outcome(world.output) == expected


def pipeline(project_root: Path, sample: Path, llm: str, out: Path) -> subprocess.Popen[bytes]:
    """Start the pipeline with BM25. Hybrid retrieval, whose model takes long to load, is killed in `test_hybrid.py`."""
    script = ["bash", str(project_root / "script" / "pipeline.sh"), "sample", "0", "6", "--llm", llm, "--top_k", "6",
              "--retriever", "bm25"]  # fmt: skip
    places = ["--claim_file", str(sample / "claims.json"), "--knowledge_store_dir", str(sample / "knowledge_store"),
              "--reference_corpus", str(sample / "reference.json"), "--output_dir", str(out)]  # fmt: skip
    with out.with_name("errors").open("wb") as errors:
        return subprocess.Popen([*script, *places], stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True)


def test_the_whole_pipeline_killed_at_random_moments(tmp_path: Path, project_root: Path, sample: Path) -> None:
    """The scripted model writes one question only, because a restarted model reads its script from the beginning."""
    llm = write_script(
        tmp_path / "script.jsonl", {"question_writer": ["Who said it?"] * 36, "verdict": ["Refuted"] * 6}
    )
    out = tmp_path / "out"
    began = time.monotonic()
    assert_done(pipeline(project_root, sample, llm, out), out)
    whole = time.monotonic() - began
    expected = results(out)
    assert len(expected) == 8
    moments = random.Random(3)
    kills = 0
    while kills < KILLS:
        shutil.rmtree(out, ignore_errors=True)
        killed = True
        while killed and kills < KILLS:
            killed = killed_after(pipeline(project_root, sample, llm, out), moments.uniform(0, whole), out)
            kills += killed
        assert_done(pipeline(project_root, sample, llm, out), out)
        assert results(out) == expected


def assert_done(process: subprocess.Popen[bytes], out: Path, seconds: float | None = None) -> None:
    """Assert that the process succeeded and wrote nothing to stderr but the line with the scores."""
    code = process.wait(seconds)
    errors = out.with_name("errors").read_text().splitlines()
    assert (code, [line for line in errors if not line.startswith("6 claims: ")]) == (0, [])


def killed_after(process: subprocess.Popen[bytes], seconds: float, out: Path) -> bool:
    """Kill the script and the step that it runs after some seconds. Return False if it ended before."""
    try:
        assert_done(process, out, seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGSTOP)  # so that it starts no other step meanwhile
        steps = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        while not all(map(is_gone, steps)):  # its lock is held until the very end
            time.sleep(0.001)
        return True
    return False


def is_gone(pid: str) -> bool:
    """Return True if the process has ended, even if its exit code was not read yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def results(out: Path) -> dict[str, bytes]:
    """Return the output files, without manifests (they have times) and temporary files of a killed run."""
    files = [path for path in sorted(out.iterdir()) if not path.name.startswith(".")]
    return {path.name: path.read_bytes() for path in files if not path.name.endswith(".manifest.json")}
