"""The scripts of single steps: the files that they name for a range of claims, and the flags that they pass on."""

import importlib
from itertools import pairwise
from pathlib import Path

import pytest

from src.settings import values_of
from tests.scripts.copied import Scripts, copy_scripts

STEPS = {
    "bm25.sh": ("src.reranking.bm25_sentences", "-o", "top_k_sentences", None, None),
    "question_generation.sh": (
        "src.reranking.question_generation_top_sentences", "-o", "top_k_qa", "-i", "top_k_sentences"),
    "rerank.sh": ("src.reranking.rerank_questions", "-o", "top_3_rerank_qa", "-i", "top_k_qa"),
    "veracity.sh": ("src.prediction.veracity_prediction", "-o", "veracity_prediction", "-i", "top_3_rerank_qa"),
    "submission.sh": (
        "src.prediction.veracity_with_scraped_text", "-o", "veracity_prediction_for_submission", "-i",
        "veracity_prediction"),
    "explain.sh": ("src.explanation.generate_explanations", "-o", "explanations", "-i", "veracity_prediction"),
    "refine.sh": ("src.explanation.refine_explanations", "-o", "debates", "-i", "explanations"),
    "check_explanations.sh": ("src.explanation.check_explanations", "-o", "flags", "-i", "explanations"),
    "programs.sh": ("src.programs.generate_programs", "-o", "programs", None, None),
    "execute_programs.sh": ("src.programs.execute_programs", "-o", "program_trace", "-i", "programs"),
    "closed_book.sh": ("src.programs.closed_book", None, None, None, None),
    "evaluate.sh": ("src.prediction.evaluate_veracity", None, None, "-i", "veracity_prediction"),
}  # fmt: skip


@pytest.fixture
def scripts(project_root: Path, tmp_path: Path) -> Scripts:
    return copy_scripts(project_root, tmp_path)


def flags_of(call: list[str]) -> dict[str, str]:
    """Return each flag with the value after it; the last one if a flag occurs twice, as argparse does."""
    return {name: value for name, value in pairwise(call) if name.startswith("-")}


@pytest.mark.parametrize("name", STEPS)
def test_files_are_named_by_the_range(scripts: Scripts, name: str, tmp_path: Path) -> None:
    module, out, written, given, read = STEPS[name]
    assert scripts.bash(name, "dev", "20", "40", "--quiet", "--llm", "a b", cwd=tmp_path).returncode == 0
    (call,) = scripts.calls()
    flags = flags_of(call)
    assert call[:2] == ["-m", module]
    assert (flags["-s"], flags["-e"], flags["--llm"]) == ("20", "40", "a b")
    assert "--quiet" in call
    if out:
        assert flags[out] == f"data_store/dev_{written}.20-40.json"
    if given:
        assert flags[given] == f"data_store/dev_{read}.json"


@pytest.mark.parametrize("name", [name for name, step in STEPS.items() if step[3]])
def test_the_shard_of_the_same_range_is_read_when_it_is_there(scripts: Scripts, name: str) -> None:
    _, _, _, given, read = STEPS[name]
    assert given
    (scripts.root / "data_store").mkdir()
    (scripts.root / "data_store" / f"test_{read}.0-7.json").write_bytes(b"")
    for end in ("7", "8"):
        assert scripts.bash(name, "test", "0", end).returncode == 0
    same, other = scripts.calls()
    assert flags_of(same)[given] == f"data_store/test_{read}.0-7.json"
    assert flags_of(other)[given] == f"data_store/test_{read}.json"


@pytest.mark.parametrize("name", [name for name, step in STEPS.items() if step[1]])
@pytest.mark.parametrize("flags", [("--shard", "1/2"), ("--shard=1/2",)])
def test_with_shard_the_step_finds_the_files_of_its_part(scripts: Scripts, name: str, flags: tuple[str, ...]) -> None:
    _, out, written, given, read = STEPS[name]
    (scripts.root / "data_store").mkdir()
    (scripts.root / "data_store" / f"dev_{read}.0-40.json").write_bytes(b"")
    assert scripts.bash(name, "dev", "0", "40", *flags).returncode == 0
    (call,) = scripts.calls()
    assert set(flags) <= set(call)
    assert flags_of(call)[out or ""] == f"data_store/dev_{written}.json"
    if given:
        assert flags_of(call)[given] == f"data_store/dev_{read}.json"


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize(
    "arguments",
    [(), ("dev",), ("dev", "0"), ("dev", "x", "5"), ("dev", "0", "-1"), ("dev", "", "5"), ("dev", "0", "5 6")],
)
def test_usage(scripts: Scripts, name: str, arguments: tuple[str, ...]) -> None:
    done = scripts.bash(name, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: bash ")
    assert name in done.stderr
    assert scripts.calls() == []


def test_the_flags_are_ones_that_the_steps_take(scripts: Scripts) -> None:
    for name in ("programs.sh", "execute_programs.sh", "closed_book.sh"):
        assert scripts.bash(name, "dev", "20", "40", "--llm", "smollm2").returncode == 0
    programs, executed, closed = (
        values_of(importlib.import_module(call[1]).main.parse(call[2:])) for call in scripts.calls()
    )
    assert programs["claim_file"] == closed["claim_file"] == Path("data/dev.json")
    assert (executed["setting"], executed["knowledge_store_dir"]) == ("open", Path("data_store/knowledge_store/dev"))
    assert closed["output_folder"] == Path("data_store/dev_closed_book")


def test_the_exit_code_is_the_steps(scripts: Scripts) -> None:
    for code in (1, 2, 3, 130):
        scripts.fail("src.reranking.bm25_sentences", code)
        assert scripts.bash("bm25.sh", "dev", "0", "5").returncode == code
