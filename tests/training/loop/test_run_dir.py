"""Where a training keeps its checkpoints: one run at a time, and never gone on with by another run."""

from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from src.errors import BusyError, InputError
from src.training.loop.run_dir import Run, workplace
from src.training.recipe import Recipe

RUN = Run("reranker", Recipe("plain", "minilm"), "ab", {"train.json": "cd"}, {"trained on": 9})


def test_it_goes_when_the_work_is_done(tmp_path: Path) -> None:
    with workplace(tmp_path / "made", RUN, overwrite=False) as (folder, begun):
        assert folder.is_dir()
        assert begun.id
    assert not folder.exists()


def _interrupted(output: Path) -> Run:
    """A run that is stopped after it has kept a checkpoint."""
    kept = []
    with suppress(KeyboardInterrupt), workplace(output, RUN, overwrite=False) as (folder, begun):
        kept.append(begun)
        (folder / "checkpoint-3").mkdir(exist_ok=True)
        raise KeyboardInterrupt
    return kept[0]


def test_it_stays_with_its_id_when_the_work_was_stopped(tmp_path: Path) -> None:
    assert _interrupted(tmp_path / "made").id == _interrupted(tmp_path / "made").id
    assert (tmp_path / ".made.training" / "checkpoint-3").is_dir()


def test_another_run_is_refused_and_overwrite_begins_anew(tmp_path: Path) -> None:
    first, output = _interrupted(tmp_path / "made"), tmp_path / "made"
    other = msgspec.structs.replace(RUN, recipe=Recipe("plain", "minilm", seed=1))
    with pytest.raises(InputError, match="other arguments or data"), workplace(output, other, overwrite=False):
        pass
    assert (tmp_path / ".made.training" / "checkpoint-3").is_dir()
    with workplace(output, other, overwrite=True) as (folder, begun):
        assert begun.recipe.seed == 1
        assert begun.id != first.id
        assert not (folder / "checkpoint-3").exists()


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with workplace(tmp_path / "made", RUN, overwrite=False), pytest.raises(BusyError, match="another run is training"):  # noqa: SIM117
        with workplace(tmp_path / "made", RUN, overwrite=False):
            pass
