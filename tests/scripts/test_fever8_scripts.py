"""script/fever8: the steps get the caller's folder and all flags, also those after --."""

from pathlib import Path

import pytest

from tests.scripts.copied import copy_scripts


@pytest.mark.parametrize(
    ("name", "module", "flags"),
    [
        ("make.sh", "src.fever8.make_folder", ["--system_name", "a b", "--", "--top_k", "3", "--", "--llm", "x"]),
        ("check.sh", "src.fever8.check_folder", ["a folder", "--trial", "3"]),
    ],
)
def test_the_step_runs_from_the_root(
    name: str, module: str, flags: list[str], project_root: Path, tmp_path: Path
) -> None:
    scripts = copy_scripts(project_root, tmp_path)
    scripts.fail(module, 1)
    done = scripts.bash(f"fever8/{name}", *flags, cwd=tmp_path)
    assert done.returncode == 1
    assert scripts.calls() == [["-m", module, "--called_from", str(tmp_path), *flags]]


@pytest.mark.parametrize("name", ["make.sh", "check.sh"])
def test_before_the_setup_the_error_is_one_line(
    name: str, project_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts, bare = copy_scripts(project_root, tmp_path), tmp_path / "bin"
    bare.mkdir()
    (bare / "python3").symlink_to("/bin/false")
    (scripts.tools / "python").unlink()
    monkeypatch.setenv("PATH", f"{bare}:/usr/bin:/bin")
    done = scripts.bash(f"fever8/{name}", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "error: not set up yet: bash script/setup.sh\n")
