"""Imports: what a step loads before its first claim, and whether import rules and requirements are complete."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

HEAVY = {"torch", "transformers", "peft", "accelerate", "xllamacpp", "openai", "sentence_transformers"}
HEAVY |= {"trafilatura", "sklearn", "scipy", "spacy", "starlette", "uvicorn"}


def _steps(root: Path) -> list[str]:
    """Return the dotted names of the modules that run as programs."""
    files = [path for path in sorted((root / "src").rglob("*.py")) if _runs_as_program(path)]
    return [".".join(path.relative_to(root).with_suffix("").parts) for path in files]


def _runs_as_program(path: Path) -> bool:
    tests = [ast.unparse(node.test) for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.If)]
    return "__name__ == '__main__'" in tests


@pytest.mark.parametrize(
    "step",
    [
        "src.check",
        "src.reranking.bm25_sentences",
        "src.reranking.question_generation_top_sentences",
        "src.reranking.rerank_questions",
        "src.fever8.check_folder",
        "src.fever8.fetch_models",
        "src.fever8.infer",
        "src.fever8.make_folder",
        "src.prediction.fever8_submission",
        "src.prediction.fever9_submission",
        "src.prediction.one_call",
        "src.prediction.veracity_prediction",
        "src.explanation.annotate",
        "src.explanation.check_explanations",
        "src.explanation.evaluate_checks",
        "src.explanation.evaluate_explanations",
        "src.explanation.generate_explanations",
        "src.explanation.plant_errors",
        "src.explanation.refine_explanations",
        "src.explanation.show",
        "src.programs.annotate",
        "src.programs.generate_programs",
        "src.programs.execute_programs",
        "src.programs.evaluate_programs",
        "src.programs.closed_book",
        "src.programs.few_shot",
        "src.programs.build_feverous_s",
        "src.programs.in_context",
        "src.programs.show",
        "src.report.serve",
        "src.training.calibrate_llm",
        "src.training.train_entailment",
        "src.training.train_faithfulness",
        "src.training.train_one_call",
        "src.training.train_question_generator",
        "src.training.train_reranker",
        "src.training.train_veracity",
        "src.training.fit_together",
        "src.training.mean_of_runs",
        "src.training.show_results",
        "src.training.write_card",
    ],
)
def test_help_loads_no_heavy_library(step: str, project_root: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", step, "--help"]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "argparse" in loaded
    assert not loaded & HEAVY


def test_import_rules_name_every_step(project_root: Path) -> None:
    settings = tomllib.loads((project_root / "pyproject.toml").read_text("utf-8"))
    layers, protected, _ = settings["tool"]["importlinter"]["contracts"]
    ignored = {line.partition(" -> ")[0] for line in layers["ignore_imports"]}
    steps = _steps(project_root)
    assert steps
    for step in steps:
        package, _, name = step.rpartition(".")
        assert {step, f"src.*.{name}"} & set(protected["protected_modules"]), f"{step}: add it to protected_modules"
        assert step in ignored, f"{step}: add it to ignore_imports"
        assert package != "src", f"{step}: a step stands in the folder of its subject"


MAIN = ("requirements.txt", "requirements-ray.txt")


@pytest.mark.parametrize(
    ("folders", "files"),
    [(["src"], [*MAIN]), (["bench", "tests"], [*MAIN, "requirements-dev.txt"])],
)
def test_requirements_name_every_package_that_is_imported(
    folders: list[str], files: list[str], project_root: Path
) -> None:
    text = "".join((project_root / file).read_text("utf-8") for file in files)
    named = {_plain(name) for name in re.findall(r"^([\w.-]+)(?:\[\w+\])?==", text, re.MULTILINE)}
    distributions = packages_distributions()
    modules = {name for folder in folders for path in (project_root / folder).rglob("*.py") for name in _imported(path)}
    for module in sorted(modules - sys.stdlib_module_names - {"src", "bench", "tests"}):
        assert named & {_plain(name) for name in distributions.get(module, [])}, f"{module}: not in {', '.join(files)}"


def _imported(path: Path) -> set[str]:
    """Return the top-level names of the modules that a file imports, anywhere in it."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return {name.partition(".")[0] for name in names}


def _plain(name: str) -> str:
    """Return a distribution's name in normalized form: lower case, `-` for runs of `-`, `_` and `.`."""
    return re.sub(r"[-_.]+", "-", name).lower()
