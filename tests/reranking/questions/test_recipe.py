"""Which recipe a model gets, what flags change, and what an engine that cannot follow it leaves out."""

import json
from pathlib import Path

import msgspec
import pytest

from src.errors import InputError, StrictError
from src.llm.protocol import ModelInfo
from src.reranking.questions.flags import WriterSettings, resolved
from src.reranking.questions.recipe import GREEDY, PUBLISHED, TRAINED, Recipe, within
from src.runner.flags import parsed, parser_of

ALL = frozenset({"beams", "ngram_ban", "seed"})


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the bundled model's adapter would stand; nothing is there yet."""
    monkeypatch.setattr("src.reranking.questions.flags.SHIPPED", tmp_path / "shipped")
    return tmp_path / "shipped"


def make_adapter(folder: Path, layout: str = "claim_evidence") -> Path:
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 1, "lora_alpha": 1}))
    (folder / "training.json").write_text(json.dumps({"base": "b", "base_sha256": "0", "layout": layout}))
    (folder / "adapter_model.safetensors").write_bytes(b"")
    return folder


def chosen(*flags: str) -> Recipe:
    return resolved(parsed(WriterSettings, parser_of(WriterSettings, "writer", ""), flags)).recipe


def test_the_published_recipe() -> None:
    request = PUBLISHED.request("p", chat=False, system="")
    assert (request.num_beams, request.no_repeat_ngram_size, request.max_length, request.stop) == (2, 2, 5000, ())
    assert (PUBLISHED.num_examples, request.prompt, request.role) == (10, "p", "question_writer")
    assert (request.chat, request.temperature, request.choices) == (False, 0.0, ())


@pytest.mark.parametrize(
    ("llm", "recipe"),
    [
        ("bigscience/bloom-7b1", PUBLISHED),
        ("hf:some/folder", PUBLISHED),
        ("openai:gpt@http://localhost:1/v1", GREEDY),
        ("gguf:model.gguf", GREEDY),
        ("scripted:answers.jsonl", GREEDY),
    ],
)
def test_defaults_of_the_models(llm: str, recipe: Recipe) -> None:
    assert chosen("--llm", llm) == recipe


@pytest.mark.parametrize("llm", ["smollm2", "smollm2:llamacpp", "smollm2:transformers"])
def test_the_bundled_model_gets_two_examples(llm: str) -> None:
    recipe = chosen("--llm", llm)
    assert recipe.num_examples == 2
    assert (recipe.num_beams, recipe.no_repeat_ngram_size, recipe.stop) == (1, 0, ("?", "\n\n"))
    assert chosen("--llm", llm, "--recipe", "published") == PUBLISHED


@pytest.mark.parametrize("llm", ["smollm2", "smollm2:llamacpp"])
def test_the_bundled_model_is_used_with_its_adapter_where_that_stands(llm: str, shipped: Path) -> None:
    make_adapter(shipped)
    assert chosen("--llm", llm) == chosen("--llm", llm, "--recipe", "trained") == TRAINED
    assert chosen("--llm", llm, "--recipe", "greedy").num_examples == 2
    assert chosen("--llm", llm, "--recipe", "published") == PUBLISHED
    assert chosen("--llm", "a/b") == PUBLISHED


def test_an_adapter_selects_the_recipe_it_was_trained_with(tmp_path: Path) -> None:
    folder = str(make_adapter(tmp_path / "own"))
    assert chosen("--llm", "a/b", "--adapter", folder) == TRAINED
    assert chosen("--adapter", folder, "--max_new_tokens", "9").max_new_tokens == 9


def test_recipe_and_adapter_go_together(tmp_path: Path) -> None:
    folder = str(make_adapter(tmp_path / "own"))
    with pytest.raises(InputError, match=r"own: an adapter goes with --recipe trained, not with greedy"):
        chosen("--adapter", folder, "--recipe", "greedy")
    with pytest.raises(InputError, match="--recipe trained needs --adapter FOLDER"):
        chosen("--recipe", "trained")
    with pytest.raises(InputError, match="--num_examples 2: the trained recipe has no examples"):
        chosen("--adapter", folder, "--num_examples", "2")
    with pytest.raises(InputError, match="was trained on layout 'verdict', not on 'claim_evidence'"):
        chosen("--adapter", str(make_adapter(tmp_path / "other", layout="verdict")))


def test_flags_win() -> None:
    recipe = chosen("--num_examples", "0", "--num_beams", "5", "--no_repeat_ngram_size", "3", "--max_new_tokens", "9")
    assert recipe == msgspec.structs.replace(
        GREEDY, num_examples=0, num_beams=5, no_repeat_ngram_size=3, max_new_tokens=9
    )
    assert chosen("--llm", "a/b", "--recipe", "greedy", "--num_beams", "1") == GREEDY
    assert chosen("--llm", "a/b", "--no_repeat_ngram_size", "0").no_repeat_ngram_size == 0


@pytest.mark.parametrize(
    "flags",
    [("--num_examples", "-1"), ("--no_repeat_ngram_size", "-2"), ("--num_beams", "0"), ("--max_new_tokens", "0"),
     ("--max_new_tokens", "x"), ("--recipe", "quick")],
)  # fmt: skip
def test_wrong_numbers_are_refused(flags: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        chosen(*flags)
    assert caught.value.code == 2
    assert flags[0] in capsys.readouterr().err


def test_an_engine_that_can_all_leaves_nothing_out() -> None:
    assert within(PUBLISHED, ModelInfo("s", "e", "n", can=ALL), strict=True) == (PUBLISHED, [])
    assert within(GREEDY, ModelInfo("s", "e", "n"), strict=True) == (GREEDY, [])


def test_unsupported_options_are_left_out_with_a_note() -> None:
    recipe, notes = within(PUBLISHED, ModelInfo("s", "llama.cpp", "n"), strict=False)
    assert (recipe.num_beams, recipe.no_repeat_ngram_size) == (1, 0)
    assert (recipe.num_examples, recipe.max_length) == (10, 5000)
    assert notes == [
        "2 beams asked for, greedy used: llama.cpp has no beam search",
        "no_repeat_ngram_size 2 left out: llama.cpp has no n-gram ban",
    ]
    recipe, notes = within(PUBLISHED, ModelInfo("s", "e", "n", can=frozenset({"beams"})), strict=False)
    assert (recipe.num_beams, recipe.no_repeat_ngram_size, len(notes)) == (2, 0, 1)


def test_strict_refuses() -> None:
    with pytest.raises(StrictError, match=r"2 beams asked for.*; no_repeat_ngram_size 2 left out"):
        within(PUBLISHED, ModelInfo("s", "e", "n"), strict=True)


@pytest.mark.parametrize(
    ("recipe", "context", "room"),
    [
        (PUBLISHED, None, 4936),
        (PUBLISHED, 2048, 1984),
        (PUBLISHED, 9000, 4936),
        (GREEDY, 2048, 2000),
        (GREEDY, None, None),
    ],
)
def test_room_for_the_prompt(recipe: Recipe, context: int | None, room: int | None) -> None:
    assert recipe.room(context) == room
