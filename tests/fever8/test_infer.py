"""The commands of a strategy, and the steps that run inside a submission folder."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from src.fever8 import fetch_models, infer
from src.fever8.strategies import Data, commands
from src.fever8.system import Strategy, System
from src.pipeline.settings import PipelineSettings, PipelineStrategy
from src.prediction.prediction_files import read_guesses
from src.runner.flags import parsed, parser_of
from tests.one_call.replies import ANSWER
from tests.runner.small_world import write_script

DATA = Data("dev", Path("c.json"), 5, Path("store"), Path("train.json"), Path("out"))
CONVERT = ["src.prediction.fever8_submission", "-i", "out/dev_veracity_prediction.json", "-o", "out/submission.csv"]


def write_system(folder: Path, system: System) -> None:
    (folder / "system.json").write_bytes(msgspec.json.encode(system))


def test_the_pipeline_gets_the_files_of_the_run_and_no_scores() -> None:
    system = System("small", Strategy.ONE_CALL, ["--llm", "hf:own_models/0_m", "--top_k", "7"])
    run, convert = commands(system, DATA)
    assert run[0] == "src.pipeline"
    settings = parsed(PipelineSettings, parser_of(PipelineSettings, "src.pipeline", ""), run[1:])
    assert (settings.split, settings.start, settings.end, settings.top_k) == ("dev", 0, 5, 7)
    assert (settings.strategy, settings.no_scores, settings.search) == (PipelineStrategy.ONE_CALL, True, None)
    assert (settings.claims, settings.store, settings.output_folder, settings.references) == (
        Path("c.json"), Path("store"), Path("out"), Path("train.json"))  # fmt: skip
    assert convert == [*CONVERT, "--split", "dev"]


def test_a_reference_corpus_of_the_system_goes_before_that_of_the_run() -> None:
    system = System("small", Strategy.QUESTIONS, ["--reference_corpus", "own_models/0_train.json"])
    settings = parsed(PipelineSettings, parser_of(PipelineSettings, "src.pipeline", ""), commands(system, DATA)[0][1:])
    assert settings.references == Path("own_models/0_train.json")


def test_programs_are_written_then_run() -> None:
    write, run, convert = commands(System("p", Strategy.PROGRAMS, ["--llm", "none"], ["--entailment", "e"]), DATA)
    assert write == ["src.programs.generate_programs", "-c", "c.json", "-o", "out/dev_programs.json", "--overwrite",
                     "--llm", "none"]  # fmt: skip
    assert "--overwrite" in run
    assert run[:5] == ["src.programs.execute_programs", "-i", "out/dev_programs.json", "-o",
                       "out/dev_program_trace.json"]  # fmt: skip
    assert run[-2:] == ["--entailment", "e"]
    assert run[run.index("--predictions") + 1] == "out/dev_veracity_prediction.json"
    assert convert[0] == "src.prediction.fever8_submission"


@pytest.mark.long
def test_a_run_ends_with_the_submission(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project_root: Path
) -> None:
    claims = json.loads((sample / "claims.json").read_bytes())[:2]
    script = write_script(tmp_path / "script.jsonl", {"one_call": [json.dumps(ANSWER)] * 4})
    flags = ["--llm", script, "--retriever", "bm25", "--no_index", "--num_examples", "0", "--workers", "1"]
    write_system(tmp_path, System("small", Strategy.ONE_CALL, flags))
    monkeypatch.chdir(project_root)
    out = tmp_path / "out"
    for number in (2, 1):  # a second run with other claims replaces the results of the first
        (tmp_path / "claims.json").write_text(json.dumps([{"claim": claim["claim"]} for claim in claims[:number]]))
        code = infer.main([
            "--folder", str(tmp_path), "--claim_file", str(tmp_path / "claims.json"), "--split", "dev",
            "--knowledge_store_dir", str(sample / "knowledge_store"), "--output_dir", str(out),
            "--reference_corpus", str(tmp_path / "none.json"),
        ])  # fmt: skip
        assert code in (0, 1)  # quotes of the scripted answer are not in the sources, so that a claim may fail
        assert [guess.claim_id for guess in read_guesses(out / "submission.csv")] == list(range(number))


def test_a_step_that_cannot_run_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project_root: Path, sample: Path
) -> None:
    write_system(tmp_path, System("small", Strategy.PROGRAMS, ["--llm", "none", "--no_such_flag"]))
    monkeypatch.chdir(project_root)
    places = ["--claim_file", str(sample / "claims.json"), "--knowledge_store_dir", "store"]
    assert infer.main(["--folder", str(tmp_path), *places, "--output_dir", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


def test_a_hub_that_gives_nothing_is_one_line(tmp_path: Path, project_root: Path) -> None:
    write_system(tmp_path, System("small", Strategy.ONE_CALL, [], hub=["owner/name"]))
    command = [sys.executable, "-m", "src.fever8.fetch_models", "--folder", str(tmp_path)]
    surroundings = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hub"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=project_root, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: the hub does not give owner/name: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_name_that_the_hub_does_not_allow_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_system(tmp_path, System("small", Strategy.ONE_CALL, [], hub=["/no/such/model"]))
    assert fetch_models.main(["--folder", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: the hub does not give /no/such/model: ")


def test_a_larger_model_is_unpacked_for_transformers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]
    llms = [names[0], f"{names[1]}:transformers"]
    write_system(tmp_path, System("small", Strategy.PROGRAMS, [], llms=llms, bundled=names))
    brought, unpacked = list[str](), list[str]()
    monkeypatch.setattr(fetch_models, "bring", lambda archive, root: brought.append(archive.name))
    monkeypatch.setattr(fetch_models, "unpack", lambda archive, root: unpacked.append(archive.name))
    assert fetch_models.main(["--folder", str(tmp_path)]) == 0
    assert (brought, unpacked) == (names, names[1:])


def test_without_models_there_is_nothing_to_download(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_system(tmp_path, System("small", Strategy.QUESTIONS, []))
    assert fetch_models.main(["--folder", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "small: all models are here\n"
    assert fetch_models.main(["--folder", str(tmp_path / "none")]) == 2
