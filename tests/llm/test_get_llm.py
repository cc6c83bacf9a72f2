"""Specs of models: backends, missing models, settings of threads and memory, no import of heavy libraries."""

import os
import subprocess
import sys
from pathlib import Path

import huggingface_hub
import pytest

from src.errors import InputError, MissingExtra, ModelError
from src.llm import BACKENDS, Options, Request, get_llm, parse_spec, presence
from src.llm.presence import lacking
from src.llm.threads import SPINS, spin_little, use_large_pages
from src.llm.weights import SMOLLM2
from src.runner.flags import parser_of


@pytest.mark.parametrize(
    ("spec", "kind", "argument"),
    [
        ("smollm2", "smollm2", ""),
        ("smollm2:llamacpp", "smollm2", "llamacpp"),
        ("gguf:some/model.gguf", "gguf", "some/model.gguf"),
        ("hf:gpt2", "hf", "gpt2"),
        ("bigscience/bloom-7b1", "hf", "bigscience/bloom-7b1"),
        ("openai:llama-3:8b@http://localhost:8000/v1", "openai", "llama-3:8b@http://localhost:8000/v1"),
        ("scripted:answers.jsonl", "scripted", "answers.jsonl"),
    ],
)
def test_spec_names_backend_and_argument(spec: str, kind: str, argument: str) -> None:
    assert parse_spec(spec) == (kind, argument)


def test_folder_is_a_model_of_transformers(tmp_path: Path) -> None:
    assert parse_spec(str(tmp_path)) == ("hf", str(tmp_path))


@pytest.mark.parametrize("spec", ["gpt9", "", "smollm2:", "gguf:", "hf", "ftp:model", "a/b/c"])
def test_unknown_spec_lists_the_known_ones(spec: str) -> None:
    with pytest.raises(InputError) as caught:
        get_llm(spec)
    assert all(backend.form in str(caught.value) for backend in BACKENDS.values())


def test_a_missing_package_is_an_error_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("src.errors.find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=r"needs the package openai; run: pip install openai$"):
        get_llm("openai:gpt")


def test_waiting_threads_soon_sleep_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    spin_little()
    assert os.environ["OMP_WAIT_POLICY"] == "passive"
    assert os.environ["GOMP_SPINCOUNT"] == str(SPINS)
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    monkeypatch.delenv("GOMP_SPINCOUNT")
    spin_little()
    assert os.environ["OMP_WAIT_POLICY"] == "active"
    assert "GOMP_SPINCOUNT" not in os.environ


def test_large_pages_are_on_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THP_MEM_ALLOC_ENABLE", raising=False)
    use_large_pages()
    assert os.environ["THP_MEM_ALLOC_ENABLE"] == "1"
    monkeypatch.setenv("THP_MEM_ALLOC_ENABLE", "0")
    use_large_pages()
    assert os.environ["THP_MEM_ALLOC_ENABLE"] == "0"


def test_the_seam_loads_no_heavy_library() -> None:
    code = (
        "import sys, src.llm, src.llm.fetch; print({'torch', 'transformers', 'openai', 'xllamacpp'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


HUB = "owner/no-such-model"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nonsense", "unknown model 'nonsense'"),
        ("smollm2", "the model smollm2 is not here; run: bash script/setup.sh"),
        ("qwen2.5-coder-1.5b", "the model qwen2.5-coder-1.5b is not here; run: python -m src.llm.fetch qwen2.5-coder"),
        ("gguf:none.gguf", "the model gguf:none.gguf: no such file"),
        ("scripted:none.jsonl", "the model scripted:none.jsonl: no such file"),
        ("hf:/no/such/folder", "the model /no/such/folder: no such folder, and no name of the hub"),
    ],
)
def test_a_missing_model_is_an_error_with_a_remedy(spec: str, message: str, tmp_path: Path) -> None:
    assert lacking(spec, tmp_path).startswith(message)


def test_what_is_here_or_on_a_server_is_not_missing(tmp_path: Path) -> None:
    for file in SMOLLM2.files:
        path = tmp_path / SMOLLM2.folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "m.gguf").touch()
    specs = ["smollm2", f"gguf:{tmp_path / 'm.gguf'}", f"hf:{tmp_path}", str(tmp_path), "openai:m@http://127.0.0.1:9"]
    assert [lacking(spec, tmp_path) for spec in specs] == [""] * len(specs)


def test_a_hub_model_is_cached_offered_or_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(url: str, timeout: float) -> None:
        raise OSError("no route")

    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", away)
    assert lacking(HUB) == (
        f"the model {HUB} is not here, and the hub does not offer it now (where it does: hf download {HUB})"
    )
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda name, file: f"/kept/{name}/{file}")
    assert lacking(HUB) == ""
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda name, file: None)
    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", lambda url, timeout: presence.CONFIG)
    assert lacking(HUB) == ""


@pytest.mark.parametrize(
    ("flag", "value"),
    [("--batch_rows", "0"), ("--batch_tokens", "-1"), ("--slots", "0"), ("--concurrency", "-8"), ("--timeout", "0")],
)
def test_an_option_out_of_bounds_is_refused(flag: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        parser_of(Options, "src.step", "Step.").parse_args([flag, value])
    assert exit_.value.code == 2
    assert f"{flag}: {value} is not " in capsys.readouterr().err


def test_a_context_limits_what_the_model_has(tmp_path: Path, causal_folder: Path) -> None:
    (tmp_path / "script.jsonl").write_text("")
    specs = [f"scripted:{tmp_path / 'script.jsonl'}", "openai:tiny@http://127.0.0.1/v1", f"hf:{causal_folder}"]
    assert [get_llm(spec, Options(context=20)).info.context for spec in specs] == [20, 20, 20]
    assert [get_llm(spec, Options()).info.context for spec in specs[:2]] == [None, None]
    own = get_llm(specs[2]).info.context
    assert own is not None
    assert get_llm(specs[2], Options(context=own + 1)).info.context == own
    with pytest.raises(ModelError, match="the context is 20"):
        get_llm(specs[2], Options(context=20)).complete([Request("Eels swim up the river. " * 20)])
