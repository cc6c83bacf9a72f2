"""Which reranker a name or a path means."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.models.chosen_reranker import NONE, OURS, PUBLISHED, RERANKERS, chosen_reranker


@pytest.fixture(autouse=True)
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_name_of_the_table_means_its_files(world: Path) -> None:
    for name, path in RERANKERS.items():
        if path is not None:
            with pytest.raises(InputError, match=f"^{path}: is not there"):
                chosen_reranker(name)
            path.mkdir(parents=True)
        assert chosen_reranker(name) == (path, [])


def test_the_published_one_is_named_with_what_brings_it() -> None:
    with pytest.raises(InputError) as caught:
        chosen_reranker("published")
    assert str(caught.value) == f"{PUBLISHED}: is not there; bring it with: bash script/download.sh dev checkpoints"


def test_a_path_is_itself_and_must_be_there(world: Path) -> None:
    (world / "mine").mkdir()
    for path in ("mine", Path("mine")):
        assert chosen_reranker(path) == (Path("mine"), [])
    with pytest.raises(InputError, match=r"^nope: no such checkpoint or folder, and none of the names trained, "):
        chosen_reranker("nope")


def test_without_a_name_it_is_the_first_that_is_there(world: Path) -> None:
    assert chosen_reranker(None)[0] is None
    OURS.mkdir(parents=True)
    (OURS / "training.json").touch()
    assert chosen_reranker(None) == (OURS, [])
    PUBLISHED.touch()
    assert chosen_reranker(None)[0] == PUBLISHED
    assert chosen_reranker(NONE) == (None, [])
