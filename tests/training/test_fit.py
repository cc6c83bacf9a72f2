"""Training: order of examples, best weights, early stopping, and a killed run that ends as one without a kill."""

import random
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from src.errors import ModelError
from src.training import fit as fitting
from src.training.fit import Fitted, count_steps, ordered_steps
from src.training.recipe import Recipe
from src.training.run_folder import JOURNAL, STATE, Run, RunFolder
from src.training.task import Scores, Task
from tests.training.small_task import small_task

RECIPE = Recipe("small", "none", epochs=4.0, batch=8, tokens=24, learning_rate=0.02, every=3, patience=9, rank=0)
LENGTHS = [random.Random(place).randint(5, 200) for place in range(1000)]


def fit(task: Task, recipe: Recipe, folder: Path, *, quiet: bool = True) -> Fitted:
    with RunFolder(folder, Run("small", recipe, None, {}, {})) as held:
        return fitting.fit(task, recipe, held, quiet=quiet)


def _weights(task: Task) -> dict[str, Any]:
    return {name: weight.clone() for name, weight in task.model.state_dict().items()}


def _same(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    return ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)


def _killed_at(call: int) -> Callable[[], None]:
    calls = count(1)

    def interrupt() -> None:
        if next(calls) == call:
            raise KeyboardInterrupt

    return interrupt


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Fitted, dict[str, Any]]:
    """Return the result of an uninterrupted run."""
    task = small_task()
    return fit(task, RECIPE, tmp_path_factory.mktemp("whole")), _weights(task)


def test_it_learns(whole: tuple[Fitted, dict[str, Any]]) -> None:
    fitted, _ = whole
    scores = [row.scores["closeness"] for row in fitted.history.scores]
    assert (fitted.steps, fitted.planned, fitted.ended) == (20, 20, "all steps done")
    assert [row.step for row in fitted.history.scores] == [3, 6, 9, 12, 15, 18, 20]
    assert scores[-1] > scores[0] + 1
    assert fitted.history.losses[-1].loss < fitted.history.losses[0].loss


@pytest.mark.parametrize("calls", [(1,), (9,), (13, 11), (30,), (48, 2)])
def test_a_killed_run_ends_with_the_same_weights(
    calls: tuple[int, ...], whole: tuple[Fitted, dict[str, Any]], tmp_path: Path
) -> None:
    for call in calls:
        with pytest.raises(KeyboardInterrupt):
            fit(small_task(_killed_at(call)), RECIPE, tmp_path)
    task = small_task()
    fitted = fit(task, RECIPE, tmp_path)
    assert _same(_weights(task), whole[1])
    assert [(row.step, row.loss) for row in fitted.history.losses] == [
        (row.step, row.loss) for row in whole[0].history.losses
    ]
    assert [(row.step, row.scores) for row in fitted.history.scores] == [
        (row.step, row.scores) for row in whole[0].history.scores
    ]


@pytest.mark.parametrize(
    "damage", ["half a state", "no state", "a torn row", "no rows", "a damaged row", "a damaged run"]
)
def test_a_damaged_folder_changes_no_result(damage: str, whole: tuple[Fitted, dict[str, Any]], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        fit(small_task(_killed_at(40)), RECIPE, tmp_path)
    journal, state = tmp_path / JOURNAL, tmp_path / STATE
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) > 4
    assert state.exists()
    if damage == "half a state":
        (tmp_path / f".{STATE}.tmp").write_bytes(state.read_bytes()[:99])
    elif damage == "no state":
        state.unlink()
    elif damage == "a torn row":
        journal.write_bytes(b"".join(lines) + lines[-1][:20])
    elif damage == "no rows":
        journal.write_bytes(lines[0])
    elif damage == "a damaged row":
        journal.write_bytes(b"".join([*lines[:2], lines[2].replace(b"step", b"stop"), *lines[3:]]))
    else:
        journal.write_bytes(b"".join([lines[0][:-9] + b"\n", *lines[1:]]))
    with pytest.raises(KeyboardInterrupt):
        fit(small_task(_killed_at(9)), RECIPE, tmp_path)
    task = small_task()
    fitted = fit(task, RECIPE, tmp_path)
    assert _same(_weights(task), whole[1])
    assert [row.step for row in fitted.history.scores] == [row.step for row in whole[0].history.scores]


def test_a_run_that_had_ended_trains_no_more(whole: tuple[Fitted, dict[str, Any]], tmp_path: Path) -> None:
    fit(small_task(), RECIPE, tmp_path)
    task = small_task(_killed_at(1))
    fitted = fit(task, RECIPE, tmp_path)
    assert _same(_weights(task), whole[1])
    assert fitted.ended == "all steps done"


def test_early_stopping_keeps_the_best(tmp_path: Path) -> None:
    given = iter([0.1, 0.5, 0.3, 0.5, 0.9])
    seen = []

    def held_out(model: Any) -> Scores:
        seen.append({name: weight.clone() for name, weight in model.state_dict().items()})
        return {"closeness": next(given)}

    recipe = msgspec.structs.replace(RECIPE, patience=2)
    task = small_task(held_out=held_out)
    fitted = fit(task, recipe, tmp_path)
    assert (fitted.steps, fitted.best_step, fitted.ended) == (12, 6, "no better for a while")
    assert _same(_weights(task), seen[1])
    again = fit(small_task(_killed_at(1)), recipe, tmp_path)
    assert (again.best_step, again.ended) == (6, "no better for a while")


def test_it_ends_when_the_time_is_over(tmp_path: Path) -> None:
    task = small_task(lambda: time.sleep(0.01))  # times are rounded to hundredths of a second
    fitted = fit(task, msgspec.structs.replace(RECIPE, max_minutes=1e-9), tmp_path)
    assert (fitted.steps, fitted.ended) == (1, "out of time")


def test_another_seed_gives_other_weights(whole: tuple[Fitted, dict[str, Any]], tmp_path: Path) -> None:
    task = small_task()
    fit(task, msgspec.structs.replace(RECIPE, seed=1), tmp_path)
    assert not _same(_weights(task), whole[1])


def test_parts_of_a_step_add_up(whole: tuple[Fitted, dict[str, Any]], tmp_path: Path) -> None:
    """Gradient and loss of a step do not depend on how many tokens go through the model at once."""
    recipe = msgspec.structs.replace(RECIPE, steps=1, every=1)
    gradients: list[dict[str, torch.Tensor]] = [{}, {}]
    losses = []
    for by_name, tokens in zip(gradients, (8, 1000), strict=True):
        task = small_task()
        for part in task.model:
            if isinstance(part, torch.nn.Dropout):
                part.p = 0.0
        for name, weight in task.model.named_parameters():
            weight.register_post_accumulate_grad_hook(lambda own, name=name, by_name=by_name: _keep(by_name, name, own))
        fitted = fit(task, msgspec.structs.replace(recipe, tokens=tokens), tmp_path / str(tokens))
        losses.append(fitted.history.losses[-1].loss)
    assert gradients[0].keys() == gradients[1].keys() != set()
    for name, gradient in gradients[0].items():
        assert gradient.abs().max() > 0.01
        assert torch.allclose(gradient, gradients[1][name], rtol=0.05, atol=0.05 * float(gradient.abs().max()))
    assert losses[0] == pytest.approx(losses[1], rel=0.02)


def _keep(gradients: dict[str, torch.Tensor], name: str, weight: torch.Tensor) -> None:
    assert weight.grad is not None
    gradients[name] = weight.grad.clone()


def test_a_loss_that_is_no_number_ends_the_run(tmp_path: Path) -> None:
    task = small_task()
    broken = msgspec.structs.replace(task, loss=lambda model, places: task.loss(model, places) * float("nan"))
    with pytest.raises(ModelError, match="the loss is not finite at step 1"):
        fit(broken, RECIPE, tmp_path)


def test_plain_lines_say_what_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        fit(small_task(_killed_at(13)), RECIPE, tmp_path, quiet=False)
    output = capsys.readouterr().out
    assert output.startswith("small: step 3 of 20, held out: closeness -")
    assert "the best so far, at most" in output
    fit(small_task(), RECIPE, tmp_path, quiet=False)
    assert capsys.readouterr().out.startswith("small: going on after step 3 of 20")


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
