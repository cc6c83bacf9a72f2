"""Atomic replacement of folders."""

import os
from pathlib import Path

import pytest

from src.atomic_folder import whole_folder
from src.errors import OutputError


def test_takes_the_place_of_what_stood_there(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    for text in ("first", "second"):
        with whole_folder(folder) as aside:
            aside.mkdir()
            (aside / text).write_text(text)
    assert [path.name for path in folder.iterdir()] == ["second"]
    assert list(tmp_path.iterdir()) == [folder]


def test_an_error_leaves_what_stood_there(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "kept").write_text("kept")
    with pytest.raises(ValueError, match="halfway"):
        _begin_and_fail(folder, ValueError("halfway"))
    assert [path.name for path in folder.iterdir()] == ["kept"]
    assert list(tmp_path.iterdir()) == [folder]


def test_a_failing_disk_is_an_output_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No space left"):
        _begin_and_fail(tmp_path / "model", OSError(28, "No space left on device"))
    assert list(tmp_path.iterdir()) == []


def test_files_have_the_permissions_of_the_umask(tmp_path: Path) -> None:
    (tmp_path / "new").touch()
    with whole_folder(tmp_path / "model") as aside:
        (aside / "deep").mkdir(parents=True)
        for path in (aside / "private", aside / "deep" / "private"):
            path.touch(0o600)
    modes = {path.stat().st_mode for path in (tmp_path / "model").rglob("private")}
    assert modes == {(tmp_path / "new").stat().st_mode}


def _begin_and_fail(folder: Path, error: Exception) -> None:
    with whole_folder(folder) as aside:
        aside.mkdir()
        (aside / "begun").write_text("begun")
        raise error


def test_programs_stay_executable(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        with whole_folder(tmp_path / "made") as folder:
            folder.mkdir()
            for name, mode in (("run.sh", 0o700), ("data", 0o600)):
                (folder / name).write_text("")
                (folder / name).chmod(mode)
    finally:
        os.umask(old)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "made").iterdir()}
    assert modes == {"run.sh": 0o750, "data": 0o640}
