"""The benchmark of throughput: what tells its rows apart, and how their figures come about."""

from argparse import Namespace
from collections.abc import Sequence

import pytest

from bench.throughput import BATCHED, LOOP, measured, row_name, short_name

ARGS = Namespace(model="Qwen/Qwen3-8B", claims=1, num_examples=3, new_tokens=24, dtype="bfloat16", rounds=3)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("pretrained_models/smollm2/transformers", "smollm2"),
        ("/models/Qwen3-8B", "Qwen3-8B"),
        ("Qwen/Qwen3-4B", "Qwen/Qwen3-4B"),
        ("gpt2", "gpt2"),
    ],
)
def test_names_of_models(model: str, name: str) -> None:
    assert short_name(model) == name


def test_the_name_of_a_row() -> None:
    expected = "a GPU, Qwen/Qwen3-8B, 1 claim, 3 examples by claim, 24 new tokens in bfloat16"
    assert row_name(ARGS, "a GPU", "claim") == expected


@pytest.mark.parametrize(
    "change", [{"model": "Qwen/Qwen3-4B"}, {"claims": 2}, {"num_examples": 10}, {"new_tokens": 8}, {"dtype": "float16"}]
)
def test_rows_of_other_runs_have_other_names(change: dict[str, object]) -> None:
    assert row_name(Namespace(**vars(ARGS) | change), "a GPU", "claim") != row_name(ARGS, "a GPU", "claim")


def test_figures_are_medians_of_the_rounds_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    now, calls = [0.0], list[tuple[str, int]]()
    monkeypatch.setattr("bench.turns.perf_counter", lambda: now[0])

    def engine(name: str, seconds: Sequence[float]) -> object:
        left = iter(seconds)

        def ask(prompts: Sequence[str]) -> None:
            calls.append((name, len(prompts)))
            now[0] += next(left)

        return ask

    engines = {LOOP: engine(LOOP, [50, 4, 2, 1]), BATCHED: engine(BATCHED, [50, 1, 0.5, 0.5])}
    row = measured(engines, ["a", "b"], ARGS, {"device": "a GPU"})  # type: ignore[arg-type]
    assert calls == [(LOOP, 1), (BATCHED, 1), *[(LOOP, 2), (BATCHED, 2)] * 3]
    assert row.rounds == {LOOP: [0.5, 1.0, 2.0], BATCHED: [2.0, 4.0, 4.0]}
    assert (row.median, row.times) == ({LOOP: 1.0, BATCHED: 4.0}, {LOOP: 1.0, BATCHED: 4.0})
    assert (row.prompts, row.new_tokens, row.num_examples) == (2, 24, 3)
