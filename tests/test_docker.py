"""The image: its Dockerfile as hadolint reads it, what is copied, and the services that run together.

No image is built here, since tests have no Docker.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

FOLDER = Path("script/docker")


@pytest.mark.parametrize("name", ["script/docker/Dockerfile"])
def test_hadolint_has_nothing_to_say(project_root: Path, name: str) -> None:
    program = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    assert program, "pip install -r requirements-dev.txt"
    done = subprocess.run([program, name], cwd=project_root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_runs_as_another_user_than_root_and_names_its_hosts(project_root: Path) -> None:
    lines = (project_root / FOLDER / "Dockerfile").read_text().splitlines()
    last = max(place for place, line in enumerate(lines) if line.startswith("FROM"))
    assert "USER 10001" in lines[last:]
    command = next(line for line in lines if line.startswith("CMD ["))
    assert '"src.report.serve"' in command
    assert '"--names"' in command
    assert any(line.startswith("HEALTHCHECK") for line in lines)


OURS = [
    "data/dev.json",
    "data_store/dev_top_k_qa.json",
    "data_store/knowledge_store/dev/0.json",
    "data_store/checks/a.json",
    "data_store/dev_store/0.tsv",
    "data_store/sample/knowledge_store/0.log.jsonl",
    "data_store/sample/bm25.index/x",
    "pretrained_models/bert_dual_encoder.ckpt",
    "pretrained_models/smollm2/model.safetensors",
    "pretrained_models/.smollm2.lock",
    "pretrained_models/adapters/.x",
    "report/index.html",
    "out/x",
    ".venv/bin/python",
    ".git/config",
    "src/__pycache__/store.pyc",
    "src/report/__pycache__/run.pyc",
]


@pytest.mark.parametrize("path", OURS)
def test_results_downloaded_models_and_environments_are_not_copied(project_root: Path, path: str) -> None:
    assert is_ignored(path, ignore_lines(project_root))


NEEDED = ["src", "script", "data_store/sample/claims.json", "data_store/everyday", "data_store/README.md",
          "pretrained_models/adapters", "pretrained_models/results.jsonl", "requirements.txt", "constraints.txt",
          "constraints-vllm.txt", "pyproject.toml", "LICENSE"]  # fmt: skip


def test_all_that_the_build_runs_is_copied(project_root: Path) -> None:
    assert "COPY . ." in (project_root / FOLDER / "Dockerfile").read_text().splitlines()
    lines = ignore_lines(project_root)
    for path in NEEDED:
        assert (project_root / path).exists()
        files = [one.relative_to(project_root) for one in (project_root / path).rglob("*") if one.is_file()]
        sources = [one for one in files if "__pycache__" not in one.parts and not one.name.startswith(".")]
        assert [one for one in (Path(path), *sources) if is_ignored(str(one), lines)] == []


def test_what_git_ignores_is_ignored(project_root: Path) -> None:
    """A line in .gitignore for files of users needs one here."""
    lines = {line.strip("/") for line in ignore_lines(project_root)}
    for line in (project_root / ".gitignore").read_text().splitlines():
        if line.startswith(("/", "!/")) and not line.startswith("/bench/"):
            assert line.replace("/", "", 1).rstrip("/") in lines


def ignore_lines(project_root: Path) -> list[str]:
    lines = (project_root / FOLDER / "Dockerfile.dockerignore").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def is_ignored(path: str, lines: list[str]) -> bool:
    """Return True if Docker does not copy the file: the last line that matches it or a folder above it decides."""
    parts = path.split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    ignored = False
    for line in lines:
        form = re.escape(line.removeprefix("!")).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
        if any(re.fullmatch(form, one) for one in above):
            ignored = not line.startswith("!")
    return ignored


def test_services_are_bound_to_loopback_and_keep_only_the_capabilities_they_need(project_root: Path) -> None:
    composed = yaml.safe_load((project_root / FOLDER / "compose.yaml").read_text())
    page, search = composed["services"]["fact-check"], composed["services"]["searxng"]
    assert page["ports"] == ["127.0.0.1:8020:8020"]
    assert "ports" not in search
    assert [one["cap_drop"] for one in (page, search)] == [["ALL"]] * 2
    assert [one["security_opt"] for one in (page, search)] == [["no-new-privileges:true"]] * 2
    assert (page["read_only"], page.get("cap_add", [])) == (True, [])
    assert search["cap_add"] == ["CHOWN", "SETGID", "SETUID"]
    assert page["environment"]["SEARXNG_URL"] == "http://searxng:8080"
    assert (project_root / FOLDER / page["build"]["context"]).resolve() == project_root.resolve()
    assert (project_root / page["build"]["dockerfile"]).is_file()
    settings = yaml.safe_load((project_root / FOLDER / "searxng" / "settings.yml").read_text())
    assert "json" in settings["search"]["formats"]


def test_a_wrong_set_of_models_is_named(project_root: Path) -> None:
    command = ["bash", str(FOLDER / "models.sh"), "huge"]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "models: small, careful or none, not 'huge'\n")
