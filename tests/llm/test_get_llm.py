import os
import subprocess
import sys
from pathlib import Path

import pytest

from src.errors import InputError, MissingExtra
from src.llm import BACKENDS, get_llm, parse_spec
from src.llm.memory import use_large_pages
from src.llm.threads import SPINS, spin_little


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


def test_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("src.llm.extras.find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match=r"needs the package openai; run: pip install openai$"):
        get_llm("openai:gpt")


def test_waiting_threads_soon_sleep_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_large_tensors_ask_for_large_pages_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
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
