"""The job scripts for SLURM, run by a replacement for `sbatch` on this machine, with failures injected."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from src.records import CandidateQuestions
from src.store import read_by_claim
from tests.runner.small_world import write_script
from tests.scripts import sbatch

pytestmark = pytest.mark.long

RANK = ("--", "bm25", "--top_k", "2", "--no_index", "--workers", "1")
ASK = ("--", "question_generation", "--top_k", "2", "--llm")
LOCAL = ("script", "data", "data_store", "out")


@dataclass(frozen=True)
class Cluster:
    """A project with the sample's claims as split dev, and a folder with `sbatch`."""

    root: Path
    slurm: Path

    def submit(self, *arguments: str, path: str | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        paths = f"{self.slurm / 'bin'}:{os.environ['PATH']}" if path is None else path
        command = ["/bin/bash", str(self.root / "script/slurm/submit.sh"), *arguments]
        return subprocess.run(command, cwd=self.slurm, env={**os.environ, "PATH": paths, **variables}, text=True,
                              capture_output=True, check=False)  # fmt: skip

    def fail(self, *elements: str) -> None:
        (self.slurm / "fail").write_text("\n".join(elements))

    def calls(self) -> list[dict[str, Any]]:
        path = self.slurm / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def codes(self, job: int) -> dict[str, Any]:
        codes: dict[str, Any] = json.loads((self.slurm / f"job.{job}").read_text())
        return codes

    def script(self, name: str, *arguments: str) -> None:
        subprocess.run(["bash", str(self.root / "script" / name), *arguments], check=True, capture_output=True)

    def output(self, name: str) -> Path:
        return self.root / "data_store" / f"dev_{name}.json"


@pytest.fixture
def cluster(project_root: Path, sample: Path, tmp_path: Path) -> Cluster:
    made = Cluster(tmp_path / "a project (with spaces)", tmp_path / "slurm")
    made.root.mkdir()
    for entry in project_root.iterdir():
        if entry.name not in LOCAL and not entry.name.startswith(".git"):
            (made.root / entry.name).symlink_to(entry.absolute())
    shutil.copytree(project_root / "script", made.root / "script")
    (made.root / "data").mkdir()
    shutil.copy(sample / "claims.json", made.root / "data" / "dev.json")
    shutil.copy(sample / "reference.json", made.root / "data" / "train.json")
    shutil.copytree(sample / "knowledge_store", made.root / "data_store" / "knowledge_store" / "dev")
    program = made.slurm / "bin" / "sbatch"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{sbatch.__file__}" "{made.slurm}" "$@"\n')
    program.chmod(0o755)
    return made


def writer(cluster: Cluster) -> str:
    return write_script(cluster.slurm / "my script.jsonl", {"question_writer": ["Who said it?"] * 24})


def test_missing_shards_alone_are_submitted_again(cluster: Cluster) -> None:
    chain = ("3", "dev", "0", "12", *RANK, *ASK, writer(cluster))
    cluster.fail("bm25 0", "question_generation 2")
    first = cluster.submit(*chain)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == (
        "bm25: job 1, shards 0-2 of 3\nquestion_generation: job 2, shards 0-2 of 3\nmerge: job 3; logs in out/slurm\n"
    )
    assert cluster.codes(1) == {"0": 9, "1": 0, "2": 0}
    assert cluster.codes(2) == {"0": sbatch.REFUSED, "1": 0, "2": 9}
    assert cluster.codes(3) == {"None": sbatch.REFUSED}
    assert not cluster.output("top_k_qa").exists()

    cluster.fail()
    again = cluster.submit(*chain)
    assert (again.returncode, again.stderr) == (0, "")
    assert "question_generation: job 5, shards 0,2 of 3\n" in again.stdout
    assert cluster.codes(5) == {"0": 0, "2": 0}
    assert cluster.codes(6) == {"None": 0}

    merged = [cluster.output(name).read_bytes() for name in ("top_k_sentences", "top_k_qa")]
    shutil.rmtree(cluster.root / "data_store" / "knowledge_store" / "dev.index", ignore_errors=True)
    for path in cluster.output("x").parent.glob("dev_*"):
        path.unlink()
    cluster.script("bm25.sh", "dev", "0", "12", *RANK[2:])
    cluster.output("top_k_sentences.0-12").rename(cluster.output("top_k_sentences"))
    cluster.script("question_generation.sh", "dev", "0", "12", *ASK[2:], writer(cluster))
    assert merged == [cluster.output(name).read_bytes() for name in ("top_k_sentences", "top_k_qa.0-12")]


def test_when_nothing_is_missing_only_the_merge_is_submitted(cluster: Cluster) -> None:
    first, done = (cluster.submit("2", "dev", "0", "6", *RANK, AT_ONCE="1", LOGS="my logs") for _ in range(2))
    assert (first.returncode, done.returncode, done.stderr) == (0, 0, "")
    assert done.stdout == "no shard of 2 is missing\nmerge: job 3; logs in my logs\n"
    assert [(call["job_name"], call["array"], call["dependency"]) for call in cluster.calls()] == [
        ("bm25", "0-1%1", ""),
        ("merge", "", "afterok:1"),
        ("merge", "", ""),
    ]
    assert cluster.codes(3) == {"None": 0}
    logs = sorted(path.name for path in (cluster.root / "my logs").iterdir())
    assert logs == ["bm25-1_0.log", "bm25-1_1.log", "merge-2.log", "merge-3.log"]
    cluster.fail("bm25 0", "bm25 1")
    assert "bm25: job 4, shards 0-1 of 2\n" in cluster.submit("2", "dev", "0", "6", *RANK, "--overwrite").stdout
    refused = cluster.submit("3", "dev", "0", "6", *RANK)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "there are 2 shards of the claims 0 to 5, not 3" in refused.stderr


def test_a_finished_chain_is_made_anew_with_other_flags(cluster: Cluster) -> None:
    def chain(top_k: str, *flags: str) -> list[str]:
        rank = ["bm25", "--top_k", top_k, "--no_index", "--workers", "1", *flags]
        ask = ["question_generation", "--top_k", top_k, "--llm", writer(cluster), *flags]
        return ["2", "dev", "0", "6", "--", *rank, "--", *ask]

    assert cluster.submit(*chain("2")).returncode == 0
    assert cluster.codes(3) == {"None": 0}
    assert cluster.submit(*chain("3", "--overwrite")).returncode == 0
    assert [cluster.codes(job) for job in (4, 5, 6)] == [{"0": 0, "1": 0}, {"0": 0, "1": 0}, {"None": 0}]
    assert {len(claim.bm25_qau) for claim in read_by_claim(cluster.output("top_k_qa"), CandidateQuestions)} == {3}


def test_failed_claims_do_not_stop_the_next_step_and_are_tried_again(cluster: Cluster) -> None:
    page = cluster.root / "data_store" / "knowledge_store" / "dev" / "4.json"
    whole = page.read_bytes()
    page.write_bytes(b"{")
    chain = ("2", "dev", "0", "6", *RANK)
    assert cluster.submit(*chain).returncode == 0
    assert cluster.codes(1) == {"0": 0, "1": 0}
    assert cluster.codes(2) == {"None": 1}
    page.write_bytes(whole)
    again = cluster.submit(*chain)
    assert "bm25: job 3, shards 1 of 2" in again.stdout
    assert cluster.codes(4) == {"None": 0}


def test_a_step_that_cannot_be_imported_is_not_merged(cluster: Cluster) -> None:
    chain = ("2", "dev", "0", "6", *RANK, "--overwrite")
    assert cluster.submit(*chain).returncode == 0
    assert cluster.codes(2) == {"None": 0}
    (cluster.root / "script" / "bm25.sh").write_text(f'exec "{sys.executable}" -c "import no_such_module"\n')
    assert cluster.submit(*chain).returncode == 0
    assert cluster.codes(3) == {"0": 1, "1": 1}
    assert cluster.codes(4) == {"None": sbatch.REFUSED}


def test_gpus_are_for_steps_with_models_and_only_on_request(cluster: Cluster) -> None:
    steps = ("bm25", "rerank", "submission", "pipeline")
    chain = [word for step in steps for word in ("--", step)]
    hybrid = ["--", "bm25", "--retriever", "hybrid", "--", "bm25", "--retriever=hybrid", "--", "search", "--llm", "x"]
    explain = ["--", "explain", "--", "explain", "--method=stance", "--", "explain", "--method", "template"]
    cluster.fail(*(f"{step} 0" for step in steps))
    for gpus in ("", "0", "2"):
        assert cluster.submit("1", "dev", "0", "6", *chain, GPUS=gpus, CPUS="7", MEMORY="3G", TIME="9").returncode == 0
    gres = [call["gres"] for call in cluster.calls() if call["job_name"] != "merge"]
    assert gres == [*[""] * 8, "", "gpu:2", "", "gpu:2"]
    before = len(cluster.calls())
    cluster.fail(*(f"{step} 0" for step in ("bm25", "search", "explain")))
    assert cluster.submit("1", "dev", "0", "6", *hybrid, *explain, GPUS="1").returncode == 0
    assert [call["gres"] for call in cluster.calls()[before:]] == ["gpu:1", "gpu:1", "gpu:1", "", "gpu:1", "", ""]
    assert all((call["cpus_per_task"], call["mem"], call["time"]) == ("7", "3G", "9") for call in cluster.calls()[:4])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Submits steps to SLURM"),
        (("3", "dev", "0", "12"), "Submits steps to SLURM"),
        (("0", "dev", "0", "12", *RANK), "Submits steps to SLURM"),
        (("3", "dev", "0", "12", "bm25", "--"), "Submits steps to SLURM"),
        (("3", "dev", "0", "12", "--", "--"), "error: there is no step between -- and --"),
        (("3", "dev", "0", "12", "--", "bm26"), "error: bm26 is no step; the steps are search "),
        (("3", "dev", "0", "12", *RANK, "--shard", "1/2"), "error: bm25 --shard: submit.sh sets the shards"),
        (("3", "dev", "0", "12", *RANK, "-o", "x"), "error: bm25 -o: script/bm25.sh names the output"),
        (("3", "dev", "0", "12", "--", "pipeline", "--output_dir=x"), "pipeline takes --output_dir FOLDER"),
    ],
)  # fmt: skip
def test_usage(cluster: Cluster, arguments: Sequence[str], message: str) -> None:
    done = cluster.submit(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert cluster.calls() == []


def test_without_slurm_the_error_is_one_line(cluster: Cluster) -> None:
    done = cluster.submit("3", "dev", "0", "12", *RANK, path="/usr/bin:/bin")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: sbatch is not installed here; submit from a login node of the cluster\n"


@pytest.mark.parametrize("methods", [("--methods", "cot,direct"), ("--methods=cot,direct",)])
def test_the_methods_that_are_chosen_have_outputs(project_root: Path, methods: Sequence[str]) -> None:
    command = ["bash", "-c", 'split=dev; . script/slurm/steps.sh; outputs closed_book "$@"', "-", *methods]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, check=True)
    assert done.stdout == "data_store/dev_closed_book/cot.json\ndata_store/dev_closed_book/direct.json\n"


def test_every_script_is_valid_bash(project_root: Path) -> None:
    scripts = sorted((project_root / "script").rglob("*.sh"))
    assert len(scripts) > 20
    for path in scripts:
        subprocess.run(["bash", "-n", str(path)], check=True)
