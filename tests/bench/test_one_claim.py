"""`bench.one_claim`: the store that it makes, what it measures of a process, and its table."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from bench.one_claim import ALL_STAGES, START, Limits, Measured, Result, goals, joined, stage_medians, store_of, table
from bench.retrieval.corpus import Corpus, collect
from bench.warm_checks import Checked, verdict_of
from bench.watched_process import Watched, forget, watched
from src.errors import ModelError
from src.records import Claim, Level, Sentence
from src.retrieval.leakage import Leakage
from tests.check.test_text import checked

CLAIM = Claim("Penguins fly.", 0)


def corpus() -> Corpus:
    files = {0: [Sentence(f"Penguin {number} swims far away.", "http://a.example") for number in range(5)]}
    return collect([CLAIM], files, {}, Leakage())


def test_a_store_has_real_sentences_first_and_then_recombined_ones() -> None:
    store = store_of(CLAIM, corpus(), 60)
    assert len(store) == 60
    assert {one.sentence for one in store[:5]} == {f"Penguin {number} swims far away." for number in range(5)}
    assert {one.url for one in store[5:]} == {"https://0.example/", "https://1.example/"}
    assert len(store_of(CLAIM, corpus(), 3)) == 3
    assert store == store_of(CLAIM, corpus(), 60)


def measured(source: str, seconds: float, stages: dict[str, float]) -> Measured:
    cold = Watched(seconds, 2 * seconds, 10**9, 5 * 10**8, 0)
    total = {"total": sum(stages.values())}
    return Measured(
        source, "Penguins fly.", "Refuted (firm)", cold, stages | total, Checked(total, 1.0, 2 * 10**9, 0, "")
    )


RESULT = Result(
    "here",
    60,
    False,
    claims=[
        measured("store", 4.0, {"retrieval": 1.0, "waiting for models": 2.0}),
        measured("store", 9.0, {"retrieval": 3.0}),
        measured("pages", 7.0, {"retrieval": 2.0}),
    ],
)


def test_medians_are_by_stage_and_a_stage_that_is_missing_took_no_time() -> None:
    medians = stage_medians(RESULT.claims[:2])
    assert medians["waiting for models"] == (1.0, None)
    assert medians["retrieval"] == (2.0, None)
    assert medians[START] == (3.5, None)
    assert medians[ALL_STAGES] == (6.5, 3.0)
    assert "questions" not in medians


def test_the_table_is_by_source() -> None:
    store, pages = table(RESULT).split("\n\n")
    assert "| all | 6.50 | 3.00 |" in store
    assert "| cpu, s | 13.00 | 1.00 |" in store
    assert "| peak, GB | 1.00 | 2.00 |" in pages


def test_a_process_is_watched(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(3_000_000))
    code = "import time; print(len(open('large', 'rb').read())); x = bytes(50_000_000); time.sleep(0.05)"
    run, output = watched([sys.executable, "-c", code], tmp_path)
    assert output == b"3000000\n"
    assert run.read >= 3_000_000
    assert run.peak > 50_000_000
    assert run.seconds >= 0.05
    with pytest.raises(subprocess.CalledProcessError):
        watched([sys.executable, "-c", "raise SystemExit(2)"], tmp_path)


def test_files_are_dropped_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [tmp_path / "file", tmp_path / "folder" / "file"]
    files[1].parent.mkdir()
    for file in files:
        file.write_bytes(b"kept")
    dropped = []
    drop = os.posix_fadvise

    def dropping(opened: int, *part_and_advice: int) -> None:
        dropped.append((os.readlink(f"/proc/self/fd/{opened}"), *part_and_advice))
        drop(opened, *part_and_advice)

    monkeypatch.setattr(os, "posix_fadvise", dropping)
    forget([tmp_path])
    assert sorted(dropped) == [(str(file), 0, 0, os.POSIX_FADV_DONTNEED) for file in files]
    assert [file.read_bytes() for file in files] == [b"kept", b"kept"]


def test_another_verdict_in_a_warm_check_is_an_error() -> None:
    cold, warm = Watched(1.0, 1.0, 1, 1, 0), Checked({"total": 1.0}, 1.0, 1, 0, "Refuted (firm)")
    result = checked()
    result.prediction.level = Level.FIRM
    assert verdict_of(result) == "Refuted (firm)"
    assert joined("store", (cold, result), warm).verdict == "Refuted (firm)"
    for other in ("Refuted (leaning)", "Supported (firm)"):
        with pytest.raises(ModelError, match=r"is Refuted \(firm\) in a cold check"):
            joined("store", (cold, result), msgspec.structs.replace(warm, verdict=other))


def test_a_goal_is_reached_if_both_sources_reach_it() -> None:
    claims = [measured("store", 4.0, {"retrieval": 2.0}), measured("pages", 7.0, {"retrieval": 1.0})]
    limits = Limits(cold=7.0, warm=1.5, peak=10**9)
    assert list(goals(Result("here", 60, False, limits, claims)).values()) == [True, False, True, False]
