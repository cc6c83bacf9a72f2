"""A search that ends at any of its calls to the disk and is started again: every claim whole, no other file touched."""

import errno
import json
import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from src.file_lock import lock
from src.retrieval.search import main
from src.runner.manifest import read_manifest
from tests.retrieval.searching.runs import ARTICLE, CLAIMS, write_claims
from tests.runner.faults import KILLS, WHEN, fault_at, killed_at

pytestmark = pytest.mark.long

OLD = {number: [f"https://old.example/{number}"] for number in range(3)}
NEW = {0: ["https://a.example/1", ARTICLE], 1: ["https://b.example/1", "https://b.example/2"], 2: []}


def give(world: Path, urls: dict[int, list[str]]) -> None:
    """What the provider finds from now on; the claims' article is refused, so that there is a file of what was."""
    write_claims(world / "claims.json", CLAIMS)
    url_lines = [json.dumps({"claim_id": claim_id, "urls": given}) for claim_id, given in urls.items()]
    (world / "urls.jsonl").write_text("\n".join(url_lines), encoding="utf-8")


def run(world: Path, store: str, *more: str) -> int:
    claims = ["--claim_file", str(world / "claims.json"), "-o", str(world / store)]
    return main([*claims, "--provider", f"file:{world / 'urls.jsonl'}", "--quiet", *more])


def contents(store: Path) -> dict[str, object]:
    """Every file's bytes; of a manifest what two runs have alike."""
    by_name: dict[str, object] = {}
    for path in store.iterdir():
        output = path.with_name(path.name.removesuffix(".manifest.json"))
        made = read_manifest(output) if output != path else None
        by_name[path.name] = (made.output_sha256, made.fingerprint.inputs, made.failures) if made else path.read_bytes()
    return by_name


@pytest.fixture(params=["nothing there", "out of date"])
def before(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What stands in a store before the run; the folder's name."""
    if request.param == "out of date":
        give(tmp_path, OLD)
        assert run(tmp_path, "before") == 0
    else:
        (tmp_path / "before").mkdir()
    give(tmp_path, NEW)
    return "before"


def undisturbed(world: Path, before: str) -> dict[str, object]:
    shutil.copytree(world / before, world / "expected")
    assert run(world, "expected") == 0
    expected = contents(world / "expected")
    assert {"0.tsv", "0.dropped.jsonl", "0.tsv.manifest.json", "1.tsv", "2.tsv"} < expected.keys()
    return expected


@pytest.mark.parametrize("when", KILLS)
def test_killed_at_every_call_to_the_disk(tmp_path: Path, before: str, when: str) -> None:
    expected = undisturbed(tmp_path, before)
    number = 0
    while killed_at(number, when, partial(_fresh, tmp_path, before)):
        assert run(tmp_path, "store") == 0
        assert contents(tmp_path / "store") == expected, f"killed {when} call {number}"
        number += 1
    assert number > 20


def _fresh(world: Path, before: str) -> int:
    shutil.rmtree(world / "store", ignore_errors=True)
    shutil.copytree(world / before, world / "store")
    return run(world, "store")


@pytest.mark.parametrize("when", WHEN)
def test_a_full_disk_at_every_call(tmp_path: Path, before: str, when: str, capsys: pytest.CaptureFixture[str]) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    expected = undisturbed(tmp_path, before)
    number, code = 0, 2
    while code == 2:
        shutil.copytree(tmp_path / before, tmp_path / "store")
        with fault_at(number, when, full, {"write", "fsync", "replace"}):
            code = run(tmp_path, "store")
        assert capsys.readouterr().err.count("\n") == (code == 2)
        assert run(tmp_path, "store") == 0
        assert contents(tmp_path / "store") == expected, f"failed {when} call {number}"
        shutil.rmtree(tmp_path / "store")
        number += 1
    assert code == 0
    assert number > 20


def test_a_claim_that_a_killed_run_only_held_is_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    give(tmp_path, NEW)
    downloaded = tmp_path / "store" / "1.tsv"
    downloaded.parent.mkdir()
    downloaded.write_bytes(b"1\tclaim\thttps://downloaded.example/\tsome words\n")
    os.close(lock(downloaded.with_name("1.tsv.progress")))
    assert run(tmp_path, "store") == 2
    assert "1.tsv: is there and has no manifest that says how it was made" in capsys.readouterr().err
    assert downloaded.read_bytes() == b"1\tclaim\thttps://downloaded.example/\tsome words\n"


def test_what_a_killed_run_found_is_written_without_another_search(tmp_path: Path) -> None:
    give(tmp_path, NEW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("src.pipeline.search.write_results", _interrupted)
        assert run(tmp_path, "store") == 130
    store = tmp_path / "store"
    assert [path.name for path in store.iterdir()] == ["0.tsv.progress"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("src.retrieval.claim_search.ClaimSearch.attempt", _interrupted)
        assert run(tmp_path, "store") == 130  # at the second claim
    assert sorted(path.name for path in store.iterdir()) == ["0.dropped.jsonl", "0.tsv", "0.tsv.manifest.json"]


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_what_was_whole_is_not_replaced_with_other_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    give(tmp_path, NEW)
    assert run(tmp_path, "store") == 0
    (tmp_path / "store" / "1.tsv.progress").write_bytes(b"writing\n")  # it was killed after the manifest
    assert run(tmp_path, "store", "--keep_fact_check") == 2
    assert "is there, made otherwise" in capsys.readouterr().err
