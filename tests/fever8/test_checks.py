"""Rules on what was seen of two runs, without running anything."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from src.errors import OutputError
from src.fever8 import checks
from src.fever8.checks import Finding, Speed
from src.fever8.memory import Estimate
from src.fever8.network import Blocking
from src.fever8.report import report_of, text_of
from src.fever8.rules import DISK_BYTES
from src.fever8.system import Strategy, System
from src.fever8.timings import MAIN, Timing, read_timings
from src.fever8.trial import SPLIT, Trial, World, run_trial
from src.knowledge_store import KnowledgeStore
from src.pipeline.submit_fever8 import fever8_table
from src.records import Claim, Prediction, QAPair, Verdict
from src.store import encode_list

GOOD = Trial(
    claims=20, code=0, main=Timing(50.0, 1000.0, 1050.0), seen=Timing(50.1, 1000.0, 1050.1), memory=2 * 10**9,
    labels_read=1051.0, attempts=[], log=[], limit=3300.0,
)  # fmt: skip
SHORT = replace(GOOD, claims=1, seen=Timing(12.1, 0.0, 12.1))


def test_start_and_claims_are_separated() -> None:
    speed = checks.speed_of(SHORT, GOOD)
    assert speed is not None
    assert (round(speed.claim, 6), round(speed.start, 6)) == (2.0, 10.1)
    assert speed.average(1000) == pytest.approx(2.0101)
    assert checks.speed_of(replace(SHORT, seen=None), GOOD) is None
    for code in (None, 1, 2):
        assert checks.speed_of(replace(SHORT, code=code), GOOD) is None
        assert checks.speed_of(SHORT, replace(GOOD, code=code)) is None


@pytest.mark.parametrize(("claim", "passed"), [(59.0, True), (60.5, False)])
def test_a_claim_may_take_a_minute(claim: float, passed: bool) -> None:
    found = checks.check_speed(Speed(100.0, claim), 500)
    assert found.passed is passed
    assert f"{claim + 0.2:.2f} s a claim of 60 s" in found.detail


def test_the_start_counts_once() -> None:
    assert checks.check_speed(Speed(600.0, 59.0), 500).passed is False
    assert checks.check_speed(Speed(600.0, 59.0), 1000).passed is True


def test_a_model_that_is_too_large_breaks_a_rule() -> None:
    assert checks.check_gpu(Estimate({"m": 15 * 10**9}, 10**9, 5)).passed is True
    found = checks.check_gpu(Estimate({"m": 28 * 10**9}, 10**9, 5))
    assert found.passed is False
    assert found.detail.startswith("35.80 GB of 23.00 GB estimated")


def test_labels_are_read_after_the_timed_part() -> None:
    assert checks.check_scorer(GOOD).passed is True
    assert checks.check_scorer(replace(GOOD, labels_read=None)).passed is True
    found = checks.check_scorer(replace(GOOD, labels_read=1030.0))
    assert (found.passed, found.detail) == (False, "the labels were read 20.1 s before the timed part ended")
    late = replace(GOOD, main=Timing(80.0, 1000.0, 1080.0))  # its clock goes on when the inference has ended
    assert checks.check_scorer(late).passed is False


def test_the_two_clocks_agree() -> None:
    assert checks.check_clock(GOOD).passed is True
    assert checks.check_clock(replace(GOOD, main=Timing(5.0, 1000.0, 1005.0))).passed is False
    assert "has no line" in checks.check_clock(replace(GOOD, main=None)).detail
    assert "did not run as a separate process" in checks.check_clock(replace(GOOD, seen=None)).detail


def test_ends_of_a_run() -> None:
    assert checks.check_run(GOOD).passed is True
    failed = checks.check_run(replace(GOOD, code=2, log=["one", "error: two"]))
    assert (failed.passed, failed.detail) == (False, "20 claims: run_system.sh ended with code 2: one / error: two")
    assert "stopped after 55 min 00 s" in checks.check_run(replace(GOOD, code=None)).detail


def test_attempts_and_a_weaker_guard_are_named() -> None:
    found = checks.check_network([GOOD, replace(GOOD, attempts=["b", "a"])], Blocking.NAMESPACE)
    assert (found.passed, found.detail) == (False, "the run tried to reach a, b (blocked by a network namespace)")
    weaker = checks.check_network([GOOD], Blocking.GUARD)
    assert weaker.passed is True
    assert "weaker" in weaker.detail


def test_memory_and_disk(tmp_path: Path) -> None:
    assert checks.check_memory([GOOD, replace(GOOD, memory=33 * 10**9)]).passed is False
    (tmp_path / "file").write_bytes(bytes(1000))
    (tmp_path / "link").hardlink_to(tmp_path / "file")
    assert checks.check_disk(tmp_path, (DISK_BYTES - 1500) / 1000, 1000).passed is True  # the linked file counts once
    assert checks.check_disk(tmp_path, 451e6, 1000).passed is False


@pytest.mark.parametrize(("version", "passed"), [("12.6.77", True), ("13.0.96", None)])
def test_a_newer_cuda_is_a_note(tmp_path: Path, version: str, passed: bool | None) -> None:
    system = System("small", Strategy.QUESTIONS, [])
    assert checks.check_cuda(tmp_path, system).passed is None
    packages = tmp_path / ".venv/lib/python3.12/site-packages"
    (packages / f"nvidia_cuda_runtime_cu12-{version}.dist-info").mkdir(parents=True)
    assert checks.check_cuda(tmp_path, system).passed is passed


@pytest.mark.parametrize(("version", "passed"), [("3.12.4", True), ("3.11.7", None), ("3.120.1", None)])
def test_another_python_is_a_note(tmp_path: Path, version: str, passed: bool | None) -> None:
    system = System("small", Strategy.QUESTIONS, [])
    assert "installed: none" in checks.check_python(tmp_path, system).detail
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {version}\n")
    found = checks.check_python(tmp_path, system)
    assert (found.passed, found.detail) == (passed, f"installed: {version}; the task's machine has 3.12")


def test_timings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "measured_timings.txt"
    path.write_text("Data Download: none\nMain Execution: 2.345 seconds, from 1000.100 to 1002.445\n")
    assert read_timings(path) == {MAIN: Timing(2.345, 1000.1, 1002.445)}
    path.write_text("Main Execution: soon\n")
    assert read_timings(path) == {}
    path.write_text("Main Execution: 1.2.3 seconds, from 1000.100 to 1002.445\n")
    assert read_timings(path) == {}
    assert read_timings(tmp_path / "none") == {}


def test_results_with_carriage_returns_agree(tmp_path: Path, sample: Path) -> None:
    system, folder = System("small", Strategy.QUESTIONS, []), tmp_path / "data_store/small"
    made = [Prediction(0, "Eels\rswim", [QAPair("Where?", "In\r\nseas\rand rivers")], Verdict.SUPPORTED)]
    folder.mkdir(parents=True)
    (folder / f"{SPLIT}_veracity_prediction.json").write_bytes(encode_list(made))
    (folder / "submission.csv").write_bytes(fever8_table(made, SPLIT).encode())
    world = World([Claim(claim="Eels\rswim", claim_id=0)], KnowledgeStore(sample / "knowledge_store"), None)
    assert checks.check_results(world, tmp_path, system).passed is True
    (folder / "submission.csv").write_bytes(fever8_table(made, "test").encode())
    assert checks.check_results(world, tmp_path, system).passed is False


def test_a_trial_that_cannot_be_written_is_one_line(tmp_path: Path, sample: Path) -> None:
    (tmp_path / "file").write_text("")
    world = World([], KnowledgeStore(sample / "knowledge_store"), None)
    with pytest.raises(OutputError, match=r"cannot write .*file/long: Not a directory"):
        run_trial(tmp_path, System("small", Strategy.QUESTIONS, []), world, tmp_path / "file/long", Blocking.GUARD)


def test_a_report_fails_by_one_broken_rule(tmp_path: Path) -> None:
    findings = [Finding("files", True, "all"), Finding("CUDA", None, "unknown")]
    assert report_of(tmp_path, None, findings).passed
    broken = report_of(tmp_path, None, [*findings, Finding("run", False, "too slow")])
    assert not broken.passed
    lines = list(text_of(broken))
    assert "  FAIL  run         too slow" in lines
    assert lines[-1] == "FAILED: a rule is broken"
