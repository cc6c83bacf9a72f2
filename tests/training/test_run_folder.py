"""The folder of an unfinished training: only one process may use it, and only the same run may continue."""

from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from src.errors import BusyError, InputError
from src.training.recipe import Recipe
from src.training.run_folder import STATE, Loss, Run, RunFolder, Score, is_begun, run_folder_of

RUN = Run("reranker", Recipe("plain", "minilm"), "ab", {"train.json": "cd"}, {"trained on": 9})
OTHER = msgspec.structs.replace(RUN, recipe=Recipe("plain", "minilm", seed=1))
SCORE = Score(3, {"MRR": 0.5}, 2.0)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "made"


def interrupted(output: Path) -> Run:
    """Return a run that is stopped after it has saved a state."""
    runs = []
    with suppress(KeyboardInterrupt), RunFolder(run_folder_of(output), RUN) as folder:
        runs.append(folder.run)
        folder.add(Loss(2, 0.5, 1.0))
        folder.add(SCORE)
        folder.save(3, {"weights": {}}, SCORE, {})
        folder.add(Loss(4, 0.4, 3.0))
        raise KeyboardInterrupt
    return runs[0]


def test_it_is_removed_when_the_work_is_done(output: Path) -> None:
    with RunFolder(run_folder_of(output), RUN) as folder:
        assert folder.run.id
        assert is_begun(output, RUN)
        folder.remove()
    assert not run_folder_of(output).exists()
    assert not is_begun(output, RUN)


def test_a_stopped_run_goes_on_with_its_id_from_its_last_state(output: Path) -> None:
    begun = interrupted(output)
    assert is_begun(output, RUN)
    assert not is_begun(output, OTHER)
    with RunFolder(run_folder_of(output), RUN) as folder:
        assert folder.run.id == begun.id
        assert folder.rows == [Loss(2, 0.5, 1.0), SCORE]
        assert folder.state == {"step": 3, "weights": {}}
        assert folder.best_weights(3) == {}


def test_another_run_is_refused_and_overwrite_begins_anew(output: Path) -> None:
    first = interrupted(output)
    with pytest.raises(InputError, match="other arguments or data"):
        RunFolder(run_folder_of(output), OTHER)
    assert is_begun(output, RUN)
    with RunFolder(run_folder_of(output), OTHER, overwrite=True) as folder:
        assert folder.run.recipe.seed == 1
        assert folder.run.id != first.id
        assert (folder.rows, folder.state) == ([], None)
        assert [path.name for path in folder.folder.iterdir()] == ["journal"]


def test_one_run_at_a_time(output: Path) -> None:
    with RunFolder(run_folder_of(output), RUN), pytest.raises(BusyError, match="another run is training"):
        RunFolder(run_folder_of(output), RUN)


def test_a_damaged_state_is_named(output: Path) -> None:
    interrupted(output)
    state = run_folder_of(output) / STATE
    state.write_bytes(state.read_bytes()[:-40])
    with pytest.raises(InputError, match=r"state\.pt: cannot be read .*--overwrite begins anew"):
        RunFolder(run_folder_of(output), RUN)
    with RunFolder(run_folder_of(output), RUN, overwrite=True) as folder:
        assert folder.state is None
