"""What is seen of a command from outside: when its script ran, its end, and when a file was first opened."""

import os
import time
from pathlib import Path

import pytest

from src.fever8.file_watch import first_opening
from src.fever8.process_watch import watch


@pytest.mark.parametrize("command", ["sleep 1", "exec -a other sleep 1"])
def test_a_script_is_seen_until_it_ends(tmp_path: Path, command: str) -> None:
    (tmp_path / "inner.sh").write_text(f"sleep .5\n{command}\n")
    script = "sleep .5; bash inner.sh; sleep 1; exit 3"
    seen = watch(["bash", "-c", script], "inner.sh", cwd=tmp_path, env=os.environ, log=tmp_path / "log", limit=60)
    assert seen.code == 3
    assert seen.began is not None
    assert seen.ended is not None
    assert 1 < seen.ended - seen.began < 2.4  # 1.5, not the 3 of the whole command
    assert seen.memory > 0


@pytest.mark.parametrize("first", ["", "trap '' TERM\n"])
def test_a_command_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path, first: str) -> None:
    (tmp_path / "child.sh").write_text(f"{first}sleep 2\ntouch done\n")
    began = time.monotonic()
    seen = watch(["bash", "-c", "bash child.sh & sleep 60"], "none", cwd=tmp_path, env=os.environ,
                 log=tmp_path / "log", limit=0.5)  # fmt: skip
    assert (seen.code, seen.began) == (None, None)
    assert time.monotonic() - began < 30
    time.sleep(2)
    assert not (tmp_path / "done").exists()


def test_the_first_opening_of_a_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text("[]")
    before = time.time()
    with first_opening(path) as opened:
        assert opened.time is None
        path.read_text()
        time.sleep(0.5)
        first = opened.time
        path.read_text()
    assert first is not None
    assert before <= first <= time.time()
    assert opened.time == first


def test_an_opening_just_before_the_end_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text("[]")
    with first_opening(path) as opened:
        path.read_text()
    assert opened.time is not None
    with first_opening(path) as opened:
        pass
    assert opened.time is None
