"""The work of each step, as the workers of a Ray cluster get it: pickled, without a cluster."""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from ray import cloudpickle

from src.errors import FatalError
from src.records import CandidateQuestions, Evidence, Prediction, RankedSentences, Verdict
from src.reranking.top_file import encode_ranked
from src.runner.cluster import ray_cluster
from src.runner.fingerprint import InputFile
from src.runner.place import Work
from src.store import encode_lines, encode_list

CLAIM = "The ferry terminal was rebuilt with the money of a lottery."
LLM = ["--llm", "scripted:script.json"]


class Sent(FatalError):  # noqa: N818 - no error
    """Raised where the step would send its work to a cluster."""


class Cluster:
    """A stand-in for the cluster: keeps what workers would unpickle, and ends the step."""

    work: Work[Any, Any]

    def __init__(
        self, work: Work[Any, Any], settings: object, inputs: Mapping[str, InputFile], batches: int, **_: object
    ) -> None:
        Cluster.work = cloudpickle.loads(cloudpickle.dumps(work))  # type: ignore[no-untyped-call]
        raise Sent("sent")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, which is entered, with one claim as each step reads it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ray_cluster, "RayCluster", Cluster)
    lines = {
        "sentences.json": encode_ranked(RankedSentences(0, CLAIM, 1, [])) + b"\n",
        "qa.json": encode_lines([CandidateQuestions(0, CLAIM, [])]),
        "evidence.json": encode_lines([Evidence(0, CLAIM, [])]),
        "predictions.json": encode_list([Prediction(0, CLAIM, [], Verdict.REFUTED)]),
        "claims.json": encode_list([{"claim": CLAIM}]),
        "store/0.json": b"",
        "programs.json": encode_lines([{"claim_id": 0, "claim": CLAIM, "programs": ["label = Predict(1)\n"]}]),
        "script.json": json.dumps({}).encode(),
        "ids.txt": b"k0\n",
        "tune.txt": b"k1\nk2\n",
        "hover.json": json.dumps(
            [
                {"uid": f"k{n}", "claim": CLAIM, "num_hops": 2, "label": ("SUPPORTED", "NOT_SUPPORTED")[n % 2],
                 "evidence": f"Town\t{CLAIM}"}
                for n in range(3)
            ]
        ).encode(),
    }  # fmt: skip
    for name, data in lines.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


STEPS: dict[str, Sequence[str]] = {
    "reranking.bm25_sentences": ["-k", "store", "-c", "claims.json", "--no_index"],
    "reranking.bm25_sentences hybrid": ["-k", "store", "-c", "claims.json", "--no_index", "--retriever", "hybrid"],
    "reranking.question_generation_top_sentences": ["-i", "sentences.json", "--num_examples", "0", *LLM],
    "reranking.rerank_questions": ["-i", "qa.json"],
    "prediction.veracity_prediction": ["-i", "evidence.json", *LLM],
    "prediction.one_call": ["-i", "sentences.json", "-c", "claims.json", "--num_examples", "0", *LLM],
    "prediction.veracity_with_scraped_text": ["-i", "predictions.json", "--knowledge_store_dir", "store"],
    "prediction.fever9_submission": ["-i", "predictions.json"],
    "explanation.generate_explanations": ["-i", "predictions.json"],
    "explanation.refine_explanations": ["-i", "predictions.json", "--tagger", "none", *LLM],
    "programs.generate_programs": ["-c", "claims.json", *LLM],
    "programs.execute_programs": ["-i", "programs.json", "--setting", "closed", *LLM],
    "programs.closed_book": ["-c", "claims.json", "--methods", "direct", *LLM],
    "programs.in_context": ["-c", "hover.json", "--ids", "ids.txt", "--tune_ids", "tune.txt", "--examples", "2", *LLM],
}


@pytest.mark.parametrize("name", STEPS)
def test_the_work_of_a_step_can_be_sent(files: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    main: Callable[[Sequence[str]], int] = import_module(f"src.{name.split()[0]}").main
    code = main([*STEPS[name], "-o", "out.json", "--ray", "somewhere"])
    assert (code, capsys.readouterr().err) == (2, "error: sent\n")
    assert Cluster.work.step == f"src.{name.split()[0]}"
    assert callable(Cluster.work.start)
