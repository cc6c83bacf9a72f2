"""make_folder: the files of a submission folder, its flags and models, and what it refuses."""

import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from src.errors import InputError, MissingExtra
from src.fever8 import make_folder, packing
from src.fever8.packing import TEMPLATES, tracked_files, write_folder
from src.fever8.strategies import system_of
from src.fever8.system import OWN_FILES, SCRIPTS, Strategy, System, read_system
from src.models import reranker
from src.prediction import verdicts
from tests.fever8.folders import made

FLAGS = ("--strategy", "questions", "--", "--samples", "0", "--passages")


def test_a_folder_has_the_tracked_source_and_executable_scripts(
    tmp_path: Path, project_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "a folder", monkeypatch, *FLAGS)
    source = {path for path in tracked_files(project_root) if path.as_posix().startswith("src/")}
    assert {path for path in source if not (folder / path).is_file()} == set()
    assert not (folder / "tests").exists()
    for name in SCRIPTS:
        assert os.access(folder / name, os.X_OK)
        subprocess.run(["bash", "-n", str(folder / name)], check=True)
    for name in (*SCRIPTS, *OWN_FILES):
        assert not set(re.findall("@[A-Z]+@", (folder / name).read_text()))
    system = read_system(folder)
    assert (system.name, system.strategy, system.flags) == (
        "small",
        Strategy.QUESTIONS,
        ["--samples", "0", "--passages"],
    )
    assert (system.llms, system.bundled, system.hub, system.vllm) == (["smollm2"], [], [], False)


def test_a_zip_keeps_what_is_executable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "PARTS", ("src/fever8/",))
    assert make_folder.main(["--system_name", "small", "-o", str(tmp_path / "made"), "--zip", *FLAGS]) == 0
    with zipfile.ZipFile(tmp_path / "made.zip") as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
    assert all(modes[name] & 0o111 for name in SCRIPTS)
    assert not modes["system.json"] & 0o111
    assert {"Dockerfile", "README.md", "src/fever8/infer.py"} <= modes.keys()


def test_a_zip_is_not_replaced_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(packing, "PARTS", ())
    (tmp_path / "made.zip").write_text("mine")
    command = ["--system_name", "small", "-o", str(tmp_path / "made"), "--zip"]
    assert make_folder.main([*command, *FLAGS]) == 2
    assert "made.zip: is there already; --overwrite replaces it" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["made.zip"]
    assert (tmp_path / "made.zip").read_text() == "mine"
    assert make_folder.main([*command, "--overwrite", *FLAGS]) == 0
    assert zipfile.is_zipfile(tmp_path / "made.zip")


def test_programs_have_two_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = read_system(made(tmp_path / "small", monkeypatch, "--strategy", "programs"))
    assert (small.flags, small.then, small.llms) == (
        ["--llm", "none"], ["--entailment", "pretrained_models/adapters/entailment"], [])  # fmt: skip
    flags = ["--llm", "qwen2.5-coder-1.5b", "--num_programs", "3", "--", "--llm", "qwen2.5-coder-0.5b"]
    larger = read_system(made(tmp_path / "larger", monkeypatch, "--strategy", "programs", "--", *flags))
    assert larger.then == ["--llm", "qwen2.5-coder-0.5b"]
    assert larger.bundled == ["qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]


def test_the_larger_options_of_two_steps_count() -> None:
    write = ["--llm", "hf:a/b", "--dtype", "float32", "--slots", "2", "--context", "4096"]
    run = ["--llm", "vllm:c/d", "--dtype", "bfloat16", "--batch_tokens", "40000", "--context", "2048"]
    both = system_of("p", Strategy.PROGRAMS, [*write, "--", *run], None)
    assert (both.dtype, both.batch_tokens, both.slots, both.context) == ("float32", 40000, 2, 4096)
    assert (both.llms, both.hub, both.vllm) == (["hf:a/b", "vllm:c/d"], ["a/b", "c/d"], True)
    unlimited = system_of("p", Strategy.PROGRAMS, [*write, "--", "--llm", "c/d"], None)
    assert (unlimited.dtype, unlimited.batch_tokens, unlimited.context) == ("float32", 32768, 0)
    by_rules = system_of("p", Strategy.PROGRAMS, ["--llm", "none", "--", "--llm", "c/d", "--dtype", "float16"], None)
    assert (by_rules.dtype, by_rules.llms) == ("float16", ["c/d"])


def test_models_of_the_hub_are_downloaded() -> None:
    flags = ["--llm", "qwen2.5-coder-1.5b:transformers", "--encoder", "a/encoder"]
    system = system_of("q", Strategy.QUESTIONS, flags, None)
    assert (system.bundled, system.hub) == (["qwen2.5-coder-1.5b"], ["a/encoder"])
    assert system_of("q", Strategy.QUESTIONS, ["--encoder", "mpnet"], None).hub == []


@pytest.mark.parametrize("name", ["bert_veracity.ckpt", "bert_dual_encoder.ckpt"])
def test_published_checkpoints_are_refused_where_they_would_be_used(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_bytes(b"")
    monkeypatch.setattr(verdicts if "veracity" in name else reranker, "PUBLISHED", path)
    with pytest.raises(InputError, match="published checkpoints are not part"):
        system_of("q", Strategy.QUESTIONS, [], None)
    system_of("q", Strategy.QUESTIONS, ["--verdict", "stacked", "--select", "stance"], None)
    system_of("q", Strategy.QUESTIONS, ["--verdict", "trained", "--reranker", "trained"], None)
    system_of("q", Strategy.ONE_CALL, ["--llm", "smollm2"], None)


def test_models_that_are_given_by_path_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "my model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    numbers = {"sources": 10, "num_examples": 0, "samples": 1, "top_n": 10}
    levels = {"limits": {}, "least": 0.1, "alpha": 0.1, "claims": 10}
    fitted = {"model": "m", "sha256": None, "prompt": "x", "settings": numbers, "temperature": 1.0,
              "biases": [0, 0, 0, 0], "levels": levels}  # fmt: skip
    calibration = tmp_path / "fitted.json"
    calibration.write_text(json.dumps(fitted))
    folder = made(
        tmp_path / "folder", monkeypatch, "--strategy", "one_call",
        "--", "--llm", f"vllm:{model}", f"--calibration={calibration}", "--num_examples", "0",
    )  # fmt: skip
    system = read_system(folder)
    assert system.flags[:3] == [
        "--llm", "vllm:own_models/0_my model", "--calibration=own_models/1_fitted.json"]  # fmt: skip
    assert (system.llms, system.vllm, system.hub) == (["vllm:own_models/0_my model"], True, [])
    assert (folder / "own_models/0_my model/config.json").read_text() == "{}"
    assert "--vllm-cuda" in (folder / "installation.sh").read_text()
    assert ".venv-vllm/bin/python" in (folder / "system_inference.sh").read_text()


def test_the_image_has_a_name_that_docker_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "PARTS", ())
    assert make_folder.main(["--system_name", "Small-1", "-o", str(tmp_path / "made"), *FLAGS]) == 0
    assert "docker build -t small-1 ." in (tmp_path / "made/README.md").read_text()


def test_a_copy_has_the_name_that_the_flag_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "4f2a").write_text("")
    (tmp_path / "answers.jsonl").symlink_to("4f2a")
    flags = ["--llm", f"scripted:{tmp_path}/answers.jsonl", "--num_examples", "0"]
    folder = made(tmp_path / "folder", monkeypatch, "--strategy", "one_call", "--", *flags)
    assert read_system(folder).llms == ["scripted:own_models/0_answers.jsonl"]


def test_a_tracked_file_that_is_missing_is_named(tmp_path: Path) -> None:
    for command in (["init", "-q"], ["add", "."]):
        (tmp_path / "LICENSE").write_text("")
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    (tmp_path / "LICENSE").unlink()
    with pytest.raises(InputError, match="LICENSE: is missing, but git tracks it"):
        write_folder(tmp_path, tmp_path / "folder", System("small", Strategy.QUESTIONS, []))
    assert not (tmp_path / "folder").exists()


def test_without_git_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match="git is not installed"):
        tracked_files(tmp_path)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--system_name", "a/b"], "--system_name 'a/b': letters"),
        (["--system_name", "a."], "--system_name 'a.': letters"),
        (["--system_name", "a..b"], "--system_name 'a..b': letters"),
        (["--system_name", "averitec"], "--system_name averitec: data_store has other data"),
        (["--strategy", "one_call", "--", "--llm", "openai:m"], "--llm openai:m is a server"),
        (["--", "--strategy", "one_call", "--llm", "smollm2"], "--strategy one_call after -- contradicts"),
        (["--", "--search", "google"], "--search cannot be given here"),
        (["--", "--output_dir", "elsewhere"], "--output_dir cannot be given here"),
        (["--", "--top_k", "3", "--", "--top_n", "3"], "--strategy questions has one step"),
        (["--", "--index_dir", "/elsewhere"], "--index_dir cannot be given here"),
        (["--strategy", "programs", "--", "--llm", "none", "-s", "0"], "--start cannot be given here"),
        (["--strategy", "programs", "--", "--llm", "none", "-e", "100"], "--end cannot be given here"),
        (["--strategy", "programs", "--", "--llm", "none", "-c", "data/dev.json"], "--claim_file cannot be given here"),
        (["--strategy", "programs", "--", "--", "--trace", "a.json"], "--trace cannot be given here"),
        (["--strategy", "programs", "--", "--", "--llm", "none"], "unknown model 'none'"),
        (["--strategy", "programs", "--", "--", "--entailment", "/no/model"], "/no/model: no such file or folder"),
        (["--", "--llm", "nothing"], "unknown model 'nothing'"),
        (["--", "--llm", "qwen2.5-coder-1.5b:nonsense"], "unknown engine 'nonsense'"),
        (["--", "--llm", "gguf:/no/model.gguf"], "--llm gguf:/no/model.gguf: no such file"),
        (["--", "--llm", "hf:/no/model"], "--llm hf:/no/model: neither a folder nor OWNER/NAME"),
        (["--", "--llm", "hf:gpt2"], "--llm hf:gpt2: neither a folder nor OWNER/NAME"),
        (["--strategy", "one_call", "--", "--llm", "vllm:~/a/b"], "--llm vllm:~/a/b: neither a folder nor OWNER/NAME"),
        (["--strategy", "one_call", "--", "--llm", "scripted:/no.json"], "--llm scripted:/no.json: no such file"),
        (["--", "--encoder", "/no/encoder"], "--encoder /no/encoder: neither a folder nor OWNER/NAME"),
        (["--", "--encoder", "all-MiniLM-L12-v2"], "--encoder all-MiniLM-L12-v2: neither a folder nor OWNER/NAME"),
        (["--", "--verdict", "published"], "the published checkpoints are not part of a submission"),
        (["--", "--reranker", "published"], "the published checkpoints are not part of a submission"),
        (["--", "--published"], "the published checkpoints are not part of a submission"),
        (["--", "--no_such_flag"], "unrecognized arguments: --no_such_flag"),
        (["--strategy", "programs", "--", "--no_such_flag"], "unrecognized arguments: --no_such_flag"),
    ],
)
def test_bad_flags_are_one_line(
    flags: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    try:
        code = make_folder.main(["--system_name", "small", "-o", str(out), *flags])
    except SystemExit as error:
        code = int(str(error.code))
    assert code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not out.exists()


def test_only_an_earlier_submission_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    command = ["--system_name", "small", "-o"]
    assert make_folder.main([*command, str(tmp_path / "mine"), "--overwrite"]) == 2
    assert "is no submission folder" in capsys.readouterr().err
    assert (tmp_path / "mine/notes.txt").read_text() == "mine"
    (tmp_path / "mine/system.json").write_text("{}")
    assert make_folder.main([*command, str(tmp_path / "mine"), "--overwrite"]) == 2
    assert "is no submission folder" in capsys.readouterr().err
    folder = made(tmp_path / "made", monkeypatch)
    assert make_folder.main([*command, str(folder)]) == 2
    assert "--overwrite makes it anew" in capsys.readouterr().err
    for name in ("knowledge_store", "data_store/averitec", "data_store/small"):
        (folder / name).mkdir(parents=True)
        assert make_folder.main([*command, str(folder), "--overwrite"]) == 2
        assert f"has {name}, which would be lost" in capsys.readouterr().err
        (folder / name).rmdir()
    (folder / "README.md").unlink()
    assert make_folder.main([*command, str(folder), "--overwrite"]) == 0
    assert (folder / "README.md").is_file()
    assert json.loads((folder / "system.json").read_bytes())["name"] == "small"


def test_a_failure_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "TEMPLATES", TEMPLATES / "missing")
    monkeypatch.setattr(packing, "PARTS", ())
    assert make_folder.main(["--system_name", "small", "-o", str(tmp_path / "made")]) == 2
    assert list(tmp_path.iterdir()) == []
