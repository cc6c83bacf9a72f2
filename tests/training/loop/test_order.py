"""The order of examples: each once an epoch, like lengths together, the same for one seed."""

import random

from src.training.loop.order import count_steps, ordered_steps

LENGTHS = [random.Random(place).randint(5, 200) for place in range(1000)]


def test_each_example_is_seen_once_an_epoch() -> None:
    steps = count_steps(len(LENGTHS), 16, 2.0)
    order = ordered_steps(LENGTHS, 16, steps, seed=3)
    first = [place for step in order[: steps // 2] for place in step]
    assert steps == 126
    assert sorted(first) == list(range(1000))
    assert sorted(place for step in order for place in step) == sorted(2 * list(range(1000)))


def test_a_step_holds_like_lengths() -> None:
    order = ordered_steps(LENGTHS, 16, 62, seed=3)
    padded = sum(len(step) * max(LENGTHS[place] for place in step) for step in order)
    assert padded < 1.1 * sum(LENGTHS[place] for step in order for place in step)


def test_the_seed_alone_decides() -> None:
    assert ordered_steps(LENGTHS, 16, 90, seed=3) == ordered_steps(LENGTHS, 16, 90, seed=3)
    assert ordered_steps(LENGTHS, 16, 90, seed=3) != ordered_steps(LENGTHS, 16, 90, seed=4)
    assert ordered_steps(LENGTHS, 16, 90, seed=3)[:40] == ordered_steps(LENGTHS, 16, 40, seed=3)
