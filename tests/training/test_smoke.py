"""Each recipe with its default base, for a few steps on made-up claims: the loss must fall."""

import csv
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from src.llm.weights import MINILM, MPNET, SMOLLM2, Archive, is_there
from src.models.trained import read_trained
from src.training import train_question_generator, train_reranker, train_veracity
from tests.training.small_claims import claims, write_claims

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("archive", "step", "flags", "saved", "steps"),
    [
        (SMOLLM2, train_question_generator.main, ["--scored", "2", "--asked", "2", "--retrieved"], "adapter", 12),
        (MINILM, train_reranker.main, ["--ranked", "2", "--candidates", "5", "--retrieved"], "adapter", 30),
        (
            MINILM,
            train_reranker.main,
            ["--ranked", "2", "--candidates", "5", "--negatives", "published"],
            "adapter",
            30,
        ),
        (MPNET, train_veracity.main, ["--retrieved"], "adapter", 12),
        (MINILM, train_veracity.main, ["--recipe", "published", "--learning_rate", "1e-4"], "model", 30),
    ],
    ids=["question_generator", "reranker", "reranker as published", "veracity", "veracity as published"],
)
def test_recipe(
    archive: Archive,
    step: Callable[[Sequence[str]], int],
    flags: list[str],
    saved: str,
    steps: int,
    tmp_path: Path,
    has: Callable[[Archive], bool],
) -> None:
    if not has(archive):
        pytest.skip(f"{archive.folder} is not in pretrained_models; run: python -m src.llm.fetch {archive.name}")
    flags = [*flags, str(_retrieved(tmp_path))] if flags[-1] == "--retrieved" else flags
    files = ["-o", str(tmp_path / "made"), "--results", str(tmp_path / "results.jsonl"), "--leave_out", "none"]
    files += ["--train", str(write_claims(tmp_path))]
    assert step([*files, "--steps", str(steps), "--every", str(steps // 3), "--batch", "4", *flags]) == 0
    trained = read_trained(tmp_path / "made")
    assert (trained.base, trained.base_sha256) == (archive.name, _weights(archive))
    first, *_, last = _losses(tmp_path / "made" / "loss.svg")
    assert last < 0.9 * first
    (weights,) = (tmp_path / "made").glob("*.safetensors")
    assert weights.name.startswith(saved)
    assert saved == "model" or weights.stat().st_size < 12_000_000


def _retrieved(folder: Path) -> Path:
    with (folder / "retrieved.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "claim", "evi"])
        for claim in claims():
            rows.writerow([claim.claim_id, claim.claim, "Where is it?\t\t\nThe town has many schools.\t\t\n\n"])
    return folder / "retrieved.csv"


def _losses(curve: Path) -> list[float]:
    """Return the training losses, read off the curve and the range beside it."""
    drawing = curve.read_text(encoding="utf-8")
    (line,) = re.findall(r'<polyline points="([^"]+)" fill="none" stroke="#3465a4"', drawing)
    high, low = re.findall(r'fill="#3465a4" text-anchor="end">([^<]+)</text>', drawing)[:2]
    heights = [float(point.split(",")[1]) for point in line.split()]
    top, bottom = min(heights), max(heights)
    span = (float(high) - float(low)) / ((bottom - top) or 1)
    return [float(low) + (bottom - height) * span for height in heights]


@pytest.fixture(scope="session")
def has(project_root: Path) -> Callable[[Archive], bool]:
    """Return a function: True if a bundled model was fetched; SmolLM2 also needs its files for transformers."""
    root = project_root / "pretrained_models"
    return lambda archive: (
        is_there(archive, root) and (archive is not SMOLLM2 or (root / archive.folder / "transformers").is_dir())
    )


def _weights(archive: Archive) -> str:
    return next(file.sha256 for file in archive.files if file.path.endswith((".gguf", ".safetensors")))
