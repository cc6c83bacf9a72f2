"""Temporary folders are removed at the end, or at the next start if the process was killed."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from src.errors import OutputError
from src.temporary_folder import temporary_folder

LEFT = "x-abcdefg_"  # as the system names them


def test_a_folder_is_there_and_goes(tmp_path: Path) -> None:
    with temporary_folder("x-", tmp_path / "new") as one, temporary_folder("x-", tmp_path / "new") as two:
        (one / "file").touch()
        assert {one, two} == set((tmp_path / "new").iterdir())
    assert list((tmp_path / "new").iterdir()) == []


def test_what_a_killed_process_left_goes_and_nothing_else(tmp_path: Path) -> None:
    foreign = [tmp_path / name for name in ("x-notes", "y-abcdefg_", "x-abcdefg_.tar")]
    for path in (*foreign, tmp_path / LEFT / "deep"):
        path.mkdir(parents=True)
    (tmp_path / "x-link_123").symlink_to(foreign[0])
    (tmp_path / "x-file_123").touch()
    with temporary_folder("x-", tmp_path):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in foreign} | {"x-link_123", "x-file_123"}


def test_a_folder_in_use_stays(tmp_path: Path) -> None:
    (tmp_path / LEFT).mkdir()
    held = os.open(tmp_path / LEFT, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_SH)
    with temporary_folder("x-", tmp_path):
        pass
    assert (tmp_path / LEFT).is_dir()
    os.close(held)


def test_a_folder_that_another_took_for_left_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flock = fcntl.flock

    def remove_first(descriptor: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        (made,) = tmp_path.iterdir()
        made.rmdir()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    with temporary_folder("x-", tmp_path) as folder:
        assert folder.is_dir()


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot write"), temporary_folder("x-", tmp_path / "file"):
        pass


KILLED = """
import tempfile, time
from src.check.interruption import interruptible

def work(_):
    with tempfile.TemporaryDirectory() as folder:
        print(folder, flush=True)
        time.sleep(600)

interruptible(work)
"""


def test_files_of_a_killed_check_go_when_the_next_begins(tmp_path: Path, project_root: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(command, cwd=project_root, env=environment, text=True, stdout=subprocess.PIPE) as check:
        assert check.stdout is not None
        folder = Path(check.stdout.readline().strip())
        left = folder.parent
        assert left.parent == tmp_path
        again = [sys.executable, "-c", KILLED.replace("time.sleep(600)", "pass")]
        subprocess.run(again, cwd=project_root, env=environment, check=True, capture_output=True)
        assert folder.is_dir(), "one that is at work"
        check.send_signal(signal.SIGKILL)
    assert folder.is_dir()
    subprocess.run(again, cwd=project_root, env=environment, check=True, capture_output=True)
    assert list(tmp_path.iterdir()) == []
