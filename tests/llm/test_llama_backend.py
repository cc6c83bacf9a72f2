"""The plain engine answers as transformers does, in float32 to the letter, and leaves to it what it cannot do."""

import json
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from src.errors import InputError, ModelError
from src.llm import Options, Request
from src.llm.llama_backend import LlamaModel
from src.llm.llama_layers import WORDS
from src.llm.progress import listening
from src.llm.protocol import LanguageModel, Reading
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.llm.transformers_backend import TransformersModel
from tests.tiny_models import sentences

PROMPTS = [text[: 18 + 5 * number] for number, text in enumerate(sentences()[::60])]


def no_other() -> LanguageModel:
    raise AssertionError("transformers is not needed")


@pytest.fixture(scope="module")
def plain(causal_folder: Path) -> LlamaModel:
    options = Options(batch_rows=8)
    return LlamaModel("tiny", "tiny", causal_folder, options, "0", "float32", no_other)


REQUESTS = [
    *(Request(prompt, max_new_tokens=30, stop=("e", "?")) for prompt in PROMPTS),
    *(
        Request(prompt, max_new_tokens=20, stop=("at",), temperature=heat, seed=seed)
        for prompt in PROMPTS
        for seed, heat in enumerate((0.0, 0.7, 1.3))
    ),
    Request(PROMPTS[0], max_new_tokens=5),
    Request(PROMPTS[1], max_length=25),
    Request("", max_new_tokens=4),
    Request(PROMPTS[2], max_new_tokens=40, reading=Reading(250, "e")),
]


def test_answers_are_those_of_transformers(plain: LlamaModel, causal: TransformersModel) -> None:
    ours, theirs = plain.complete(REQUESTS), causal.complete(REQUESTS)
    assert [reply.text for reply in ours] == [reply.text for reply in theirs]
    assert [(one.prompt_tokens, one.stopped) for one in ours] == [(one.prompt_tokens, one.stopped) for one in theirs]
    assert len({reply.text for reply in ours}) > len(PROMPTS)


def test_answers_do_not_depend_on_the_other_requests(plain: LlamaModel) -> None:
    together = plain.complete(REQUESTS)
    assert [plain.complete([request])[0].text for request in REQUESTS] == [reply.text for reply in together]


def test_tokens_are_counted_as_by_transformers(plain: LlamaModel, causal: TransformersModel) -> None:
    texts = [*PROMPTS, "", "caf\u00e9 \u2603", "a </s> b"]
    assert plain.count_tokens(texts) == causal.count_tokens(texts)


def test_a_prompt_without_room_is_refused(plain: LlamaModel) -> None:
    with pytest.raises(ModelError, match="tokens, the context is 512"):
        plain.complete([Request("the river rose " * 300)])
    with pytest.raises(ModelError, match="max_length is 1"):
        plain.complete([Request(PROMPTS[0], max_length=1)])


def test_other_requests_go_to_transformers(causal_folder: Path) -> None:
    loaded = []

    def other() -> LanguageModel:
        loaded.append(True)
        return ScriptedModel([ScriptLine("model", "theirs")] * 4)

    model = LlamaModel("tiny", "tiny", causal_folder, Options(), "0", "float32", other)
    own = Request(PROMPTS[0], max_new_tokens=3)
    assert model.complete([own])[0].text
    assert not loaded
    others = [
        Request(PROMPTS[0], num_beams=2), Request(PROMPTS[0], no_repeat_ngram_size=2), Request(PROMPTS[0], chat=True),
    ]  # fmt: skip
    replies = model.complete([others[0], own, *others[1:]])
    assert [reply.text == "theirs" for reply in replies] == [True, False, True, True]
    assert len(loaded) == 1


def test_a_model_of_another_kind_is_refused(causal_folder: Path, tmp_path: Path) -> None:
    for file in causal_folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    config = json.loads((causal_folder / "config.json").read_text())
    (tmp_path / "config.json").unlink()
    (tmp_path / "config.json").write_text(json.dumps(config | {"mlp_bias": True}))
    with pytest.raises(InputError, match=r"config\.json: is not of a Llama"):
        LlamaModel("tiny", "tiny", tmp_path, Options(), "0", "float32", no_other)


@pytest.mark.parametrize("name", [WORDS, "model.layers.0.mlp.up_proj.weight"])
@pytest.mark.parametrize("rows", [0, 5])
def test_weights_that_are_missing_or_have_another_shape_are_refused(
    causal_folder: Path, tmp_path: Path, name: str, rows: int
) -> None:
    for file in causal_folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    weights = load_file(causal_folder / "model.safetensors")
    cut = weights.pop(name)[:rows]
    (tmp_path / "model.safetensors").unlink()
    save_file(weights | ({name: cut} if rows else {}), tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=rf"model\.safetensors: {name} .*, config\.json asks for"):
        LlamaModel("tiny", "tiny", tmp_path, Options(), "0", "float32", no_other)


def test_progress_counts_each_answer(plain: LlamaModel) -> None:
    counts: list[int] = []
    with listening(counts.append):
        plain.complete(REQUESTS)
    assert sum(counts) == len(REQUESTS)
    assert len(counts) > 40
