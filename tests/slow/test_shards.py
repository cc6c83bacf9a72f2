"""A pipeline run in shards: the merged files have the bytes of an undivided run."""

import shutil
from pathlib import Path

import pytest

from src.pipeline.__main__ import main
from src.records import Claim
from src.store import encode_list, read_claims
from tests.runner.small_world import write_script

COUNT = 20  # claims: two shards of the batch of reranking and verdicts

pytestmark = pytest.mark.slow


def world(sample: Path, folder: Path) -> list[str]:
    """Write COUNT claims of the sample with their pages, each several times; return the pipeline's flags for them."""
    once = read_claims(sample / "claims.json")
    claims = [once[number % len(once)] for number in range(COUNT)]
    claims = [Claim(one.claim, label=one.label, questions=one.questions) for one in claims]
    (folder / "claims.json").write_bytes(encode_list(claims))
    (folder / "store").mkdir()
    for number in range(COUNT):
        shutil.copy(sample / "knowledge_store" / f"{number % len(once)}.json", folder / "store" / f"{number}.json")
    llm = write_script(folder / "script.jsonl", {"question_writer": ["Who said it?"] * COUNT * 3})
    files = {"claim_file": "claims.json", "knowledge_store_dir": "store"}
    paths = [part for name, file in files.items() for part in (f"--{name}", str(folder / file))]
    return [*paths, "--reference_corpus", str(sample / "reference.json"), "--llm", llm, "--top_k", "3", "--top_n", "2"]


@pytest.mark.usefixtures("minilm")
def test_merged_shards_are_the_undivided_run(
    project_root: Path,
    sample: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(project_root)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    command = ["dev", "0", str(COUNT), *world(sample, tmp_path), "--output_dir"]
    assert main([*command, str(whole)]) == 0
    assert [main([*command, str(parts), "--shard", f"{number}/2"]) for number in (1, 0)] == [0, 0]
    assert main([*command, str(parts), "--merge"]) == 0
    outputs = [path for path in whole.iterdir() if not path.name.endswith(".manifest.json")]
    assert len(outputs) == 8
    for path in outputs:
        assert (parts / path.name).read_bytes() == path.read_bytes(), path.name
    capsys.readouterr()
    assert main([*command, str(parts)]) == 0
    assert capsys.readouterr().out.count("is already there, made by the same run") == 6
