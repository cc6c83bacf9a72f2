"""The image: its Dockerfile as hadolint reads it, what is copied, and the services that run together.

No image is built here, since tests have no Docker.
"""

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


def test_data_models_and_environments_are_not_copied(project_root: Path) -> None:
    ignored = set((project_root / FOLDER / "Dockerfile.dockerignore").read_text().splitlines())
    assert {".git", ".venv", "data", "data_store/checks", "out"} <= ignored
    for path in ("src", "script", "pretrained_models", "data_store", "requirements.txt", "constraints.txt"):
        assert path not in ignored


def test_services_are_bound_to_loopback_and_keep_no_rights(project_root: Path) -> None:
    composed = yaml.safe_load((project_root / FOLDER / "compose.yaml").read_text())
    page, search = composed["services"]["fact-check"], composed["services"]["searxng"]
    assert page["ports"] == ["127.0.0.1:8020:8020"]
    assert "ports" not in search
    assert (page["cap_drop"], page["read_only"]) == (["ALL"], True)
    assert page["environment"]["SEARXNG_URL"] == "http://searxng:8080"
    assert (project_root / FOLDER / page["build"]["context"]).resolve() == project_root.resolve()
    assert (project_root / page["build"]["dockerfile"]).is_file()
    settings = yaml.safe_load((project_root / FOLDER / "searxng" / "settings.yml").read_text())
    assert "json" in settings["search"]["formats"]


def test_a_wrong_set_of_models_is_named(project_root: Path) -> None:
    command = ["bash", str(FOLDER / "models.sh"), "huge"]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "models: small, careful or none, not 'huge'\n")
