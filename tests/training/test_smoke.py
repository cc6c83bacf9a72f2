"""Each recipe as it is, with its default base, on a few made-up claims for a few steps: seconds on two cores."""

from collections.abc import Callable
from pathlib import Path

import pytest

from src.llm.weights import MINILM, MPNET, SMOLLM2, Archive, is_there
from src.models.trained import read_trained
from src.runner.arguments import Main
from src.training import train_question_generator, train_reranker, train_veracity
from tests.training.small_claims import write_claims


@pytest.mark.parametrize(
    ("archive", "step", "flags"),
    [
        (SMOLLM2, train_question_generator.main, ["--scored", "2", "--asked", "2", "--batch", "4"]),
        (MINILM, train_reranker.main, ["--scored", "2", "--ranked", "2", "--candidates", "5"]),
        (MPNET, train_veracity.main, ["--batch", "4"]),
        (MINILM, train_veracity.main, ["--recipe", "published", "--batch", "4", "--rank", "16"]),
    ],
    ids=["question_generator", "reranker", "veracity", "veracity as published"],
)
def test_recipe(archive: Archive, step: Main, flags: list[str], tmp_path: Path, has: Callable[[Archive], bool]) -> None:
    if not has(archive):
        pytest.skip(f"{archive.folder} is not in pretrained_models; run: python -m src.llm.fetch {archive.name}")
    output = ["-o", str(tmp_path / "made"), "--results", str(tmp_path / "results.jsonl")]
    assert step(["--train", str(write_claims(tmp_path)), "--leave_out", "none", *output, "--steps", "2", *flags]) == 0
    trained = read_trained(tmp_path / "made")
    assert (trained.base, trained.base_sha256) == (archive.name, _weights(archive))
    size = sum(file.stat().st_size for file in (tmp_path / "made").iterdir())
    assert size < 12_000_000


@pytest.fixture(scope="session")
def has(project_root: Path) -> Callable[[Archive], bool]:
    """Whether a bundled model was fetched, SmolLM2 with its copy for transformers."""
    root = project_root / "pretrained_models"
    return lambda archive: (
        is_there(archive, root) and (archive is not SMOLLM2 or (root / archive.folder / "transformers").is_dir())
    )


def _weights(archive: Archive) -> str:
    return next(file.sha256 for file in archive.files if file.path.endswith((".gguf", ".safetensors")))
