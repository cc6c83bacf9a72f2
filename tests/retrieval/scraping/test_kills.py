"""A scrape that is gone at any of its calls to the disk, and started again: no row lost, doubled or torn."""

import os
import shutil
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import pytest

from src.errors import InputError
from src.runner.journal import Journal
from tests.damage import damaged
from tests.retrieval.scraping.small_web import SmallWeb, arguments, scrape, write_tsv
from tests.runner.faults import KILLS, killed_at

pytestmark = pytest.mark.long

PAGES = {f"http://{host}.example/{n}": f"{host} {n}\nsecond line" for host in "ab" for n in range(3)}


def run(tmp_path: Path, store: Path) -> int:
    scrape(arguments(tmp_path / "urls", store), SmallWeb(PAGES, tmp_path / f"scratch-{os.getpid()}"))
    return 0


def contents(store: Path) -> dict[str, bytes]:
    """The store itself, and whatever else lies there by name."""
    return {path.name: path.read_bytes() if path.suffix == ".json" and path.stem.isdecimal() else b""
            for path in store.iterdir()}  # fmt: skip


@pytest.mark.parametrize("when", KILLS)
def test_killed_at_every_call_to_the_disk(tmp_path: Path, when: str) -> None:
    write_tsv(tmp_path / "urls", 0, [*PAGES, "http://a.example/gone"])
    write_tsv(tmp_path / "urls", 1, ["http://b.example/1", "http://b.example/2"])
    run(tmp_path, tmp_path / "expected")
    expected = contents(tmp_path / "expected")
    number, store = 0, tmp_path / "store"
    while killed_at(number, when, partial(run, tmp_path, store)):
        run(tmp_path, store)
        assert contents(store) == expected, f"killed {when} call {number}"
        shutil.rmtree(store)
        number += 1
    assert number > 15


def test_no_damage_of_a_progress_file_reaches_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tsv(tmp_path / "urls", 0, [*PAGES, "http://a.example/gone"])
    store = tmp_path / "store"
    progress, keep = store / "0.json.progress", b""

    def keep_journal(journal: Journal[object]) -> None:
        nonlocal keep
        keep = progress.read_bytes()
        remove(journal)

    remove = Journal.remove
    monkeypatch.setattr(Journal, "remove", keep_journal)
    run(tmp_path, store)
    expected = {name: (store / name).read_bytes() for name in ("0.json", "0.log.jsonl")}
    whole, dice, refused = keep, Random(3), 0
    for _ in range(200):
        shutil.rmtree(store)
        store.mkdir()
        progress.write_bytes(damaged(whole, dice))
        with suppress(InputError):
            run(tmp_path, store)
        if not (store / "0.json").exists():
            refused += 1
            with pytest.raises(InputError, match="--overwrite begins anew"):
                run(tmp_path, store)
        else:
            assert {name: (store / name).read_bytes() for name in expected} == expected
    assert 0 < refused < 150
