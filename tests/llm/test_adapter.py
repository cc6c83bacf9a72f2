"""Adapters: the result is the same merged here, in peft and in llama.cpp; one that does not fit is refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from src.errors import InputError
from src.llm import LanguageModel, Options, Request, get_llm
from src.llm.adapter import merge, read_adapter
from src.llm.bundled import load
from src.llm.llamacpp_backend import LlamaCppModel
from src.llm.loading import load_pretrained
from src.llm.weights import SMOLLM2, hash_of
from tests.llm.adapters import make_adapter
from tests.tiny_models import sentences

pytestmark = pytest.mark.long

PROMPT = "The capital of France is a city with two"


@pytest.fixture(scope="module")
def adapter(causal_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = AutoModelForCausalLM.from_pretrained(causal_folder)
    return make_adapter(tmp_path_factory.mktemp("adapters") / "tiny", base, str(hash_of(causal_folder)))


def adapted(spec: str, folder: Path, dtype: str = "float32") -> LanguageModel:
    return get_llm(spec, Options(dtype=dtype, device="cpu", adapter=folder))


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing.*:FutureWarning")
def test_merged_as_peft_merges(causal_folder: Path, adapter: Path) -> None:
    from peft import PeftModel

    ours = AutoModelForCausalLM.from_pretrained(causal_folder)
    merge(ours, read_adapter(adapter))
    theirs = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(causal_folder), str(adapter))
    merged = dict(theirs.merge_and_unload().named_parameters())
    for name, weight in ours.named_parameters():
        torch.testing.assert_close(weight, merged[name], rtol=1e-5, atol=1e-5)


def test_what_layers_share_is_replaced_in_all_of_them(causal_folder: Path, adapter: Path, tmp_path: Path) -> None:
    model: Any = AutoModelForCausalLM.from_pretrained(causal_folder)
    head, embeddings = model.get_output_embeddings(), model.get_input_embeddings()
    head.weight = embeddings.weight
    other = Path(shutil.copytree(adapter, tmp_path / "other"))
    tensors = load_file(other / "adapter_model.safetensors")
    tensors["base_model.model.model.embed_tokens.weight"] = torch.full_like(embeddings.weight, 7.0)
    save_file(tensors, other / "adapter_model.safetensors")
    merge(model, read_adapter(other))
    assert (head.weight == 7.0).all()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_an_adapter_changes_the_answers(causal_folder: Path, adapter: Path, dtype: str) -> None:
    requests = [Request(text, max_new_tokens=8) for text in sentences()[::48]]
    plain = get_llm(f"hf:{causal_folder}", Options(dtype=dtype, device="cpu"))
    other = adapted(f"hf:{causal_folder}", adapter, dtype)
    assert plain.complete(requests) != other.complete(requests) == other.complete(requests)
    assert other.info.details["adapter_sha256"] == read_adapter(adapter).sha256
    assert other.info.sha256 == plain.info.sha256
    assert "adapter" not in plain.info.details


def test_a_rank_that_the_weights_do_not_have_is_refused(causal_folder: Path, adapter: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(adapter, tmp_path / "other"))
    config = json.loads((other / "adapter_config.json").read_text())
    (other / "adapter_config.json").write_text(json.dumps(config | {"r": 2}))
    with pytest.raises(InputError, match=r"adapter_config.json, field r: is 2, the weights' rank is 4"):
        adapted(f"hf:{causal_folder}", other)


def test_another_base_is_refused(causal_folder: Path, adapter: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(adapter, tmp_path / "other"))
    training = json.loads((other / "training.json").read_text())
    (other / "training.json").write_text(json.dumps(training | {"base_sha256": "0" * 64}))
    with pytest.raises(InputError, match=r"training.json, field base_sha256: trained on tiny with weights 0{64}, this"):
        adapted(f"hf:{causal_folder}", other)


def test_a_hub_model_is_hashed_in_the_hub_cache(
    causal_folder: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: dict[str, Path] = {str(causal_folder): causal_folder}
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda name, **_: folders.pop(name))
    loaded = load_pretrained(str(causal_folder), Options(dtype="float32", device="cpu", adapter=adapter))
    assert (folders, loaded.adapter) == ({}, read_adapter(adapter))


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("adapter_config.json", None, r"adapter_config.json: not found"),
        ("adapter_config.json", b"{", r"adapter_config.json, line 1: the JSON ends too early"),
        ("adapter_config.json", b'{"peft_type": "LOHA", "r": 1, "lora_alpha": 1}', "plain LoRA .* not peft_type LOHA"),
        (
            "adapter_config.json",
            b'{"peft_type": "LORA", "r": 0, "lora_alpha": 1}',
            r"adapter_config.json, line 1, field r: must be at least 1",
        ),
        ("training.json", None, r"training.json: not found"),
        ("training.json", b'{"base": "x"}', r"training.json, line 1, field base_sha256: missing"),
        ("adapter_model.safetensors", None, r"adapter_model.safetensors: no such file"),
        ("adapter_model.safetensors", b"not one", r"adapter_model.safetensors: cannot be read"),
    ],
)
def test_what_is_missing_or_damaged_is_named(
    causal_folder: Path, adapter: Path, tmp_path: Path, file: str, content: bytes | None, message: str
) -> None:
    other = Path(shutil.copytree(adapter, tmp_path / "other"))
    (other / file).unlink()
    if content is not None:
        (other / file).write_bytes(content)
    with pytest.raises(InputError, match=message):
        adapted(f"hf:{causal_folder}", other)


def test_tensors_that_do_not_fit_are_named(causal_folder: Path, adapter: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(causal_folder)
    model.model.layers = model.model.layers[:1]
    with pytest.raises(InputError, match=r"field model\.layers\.1\..*: the model has no such weight"):
        merge(model, read_adapter(adapter))


@pytest.mark.parametrize("spec", ["scripted:x", "openai:x@http://localhost:1/v1"])
def test_engines_without_adapters_refuse_one(spec: str, adapter: Path) -> None:
    with pytest.raises(InputError, match=f"the model {spec} takes no adapter"):
        get_llm(spec, Options(adapter=adapter))


def test_llama_cpp_adds_what_transformers_merges(pretrained: Path, tmp_path: Path) -> None:
    """Uses a copy of the bundled file, because the converted adapter is written beside its base."""
    if not (pretrained / "smollm2" / "transformers").is_dir():
        pytest.skip("the copy for transformers is not there; run: python -m src.llm.fetch smollm2")
    root = tmp_path / "pretrained"
    (root / SMOLLM2.folder).mkdir(parents=True)
    for name in ("transformers", "LICENSE", SMOLLM2.files[0].path):
        (root / SMOLLM2.folder / name).symlink_to((pretrained / SMOLLM2.folder / name).resolve())
    copy = pretrained / SMOLLM2.folder / "transformers"
    tokenizer, base = (
        AutoTokenizer.from_pretrained(copy),
        AutoModelForCausalLM.from_pretrained(copy, dtype=torch.float32),
    )
    folder = make_adapter(tmp_path / "adapter", base, SMOLLM2.files[0].sha256, size=0.1)
    ids = tokenizer(PROMPT, return_tensors="pt").input_ids
    plain = next_tokens(base, ids)
    merge(base, read_adapter(folder))
    adapted = next_tokens(base, ids)
    options = Options(threads=1, context=128, adapter=folder)
    engine = load("smollm2:llamacpp", "llamacpp", options, root)
    assert isinstance(engine, LlamaCppModel)
    answer = engine._complete(Request(PROMPT), ids[0].tolist(), 1, likeliest=20)["completion_probabilities"][0]
    scores = {entry["id"]: entry["logprob"] for entry in answer["top_logprobs"]}
    near = max(abs(score - float(adapted[token])) for token, score in scores.items())
    far = max(abs(score - float(plain[token])) for token, score in scores.items())
    assert near < 0.5 < 2 < far  # its weights have four bits, its activations eight
    assert len(list((root / SMOLLM2.folder / "adapters").glob("*.gguf"))) == 1


def next_tokens(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """Return the log-probability of every token as the next one."""
    with torch.inference_mode():
        scores: torch.Tensor = model(ids).logits[0, -1].float().log_softmax(-1)
    return scores
