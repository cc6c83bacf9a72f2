"""script/check.sh: runs in the project's root, passes on the caller's folder, and returns the step's exit code."""

from pathlib import Path

import pytest

from tests.scripts.copied import Scripts, copy_scripts


@pytest.fixture
def scripts(project_root: Path, tmp_path: Path) -> Scripts:
    return copy_scripts(project_root, tmp_path)


def test_the_check_runs_from_the_root_and_knows_where_it_was_called(scripts: Scripts, tmp_path: Path) -> None:
    flags = ["--urls", "urls.txt", "--date", "1-2-2020"]
    assert scripts.bash("check.sh", "Eels *swim*  far.", *flags, cwd=tmp_path).returncode == 0
    (call,) = scripts.calls()
    assert call == ["-m", "src.check", "--called_from", str(tmp_path), "Eels *swim*  far.", *flags]


def test_the_exit_code_is_that_of_the_step(scripts: Scripts, tmp_path: Path) -> None:
    scripts.fail("src.check", 2)
    assert scripts.bash("check.sh", "Eels swim.", cwd=tmp_path).returncode == 2


def test_before_the_setup_the_error_is_one_line(
    scripts: Scripts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    (bare / "python3").symlink_to("/bin/false")
    (scripts.tools / "python").unlink()
    monkeypatch.setenv("PATH", f"{bare}:/usr/bin:/bin")
    done = scripts.bash("check.sh", "Eels swim.", "--urls", "-", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "error: not set up yet: bash script/setup.sh\n")
