"""The lists in bench/splits: groups stay together, and the lists are those that the seed draws."""

import random
from collections import Counter
from pathlib import Path

import pytest

from bench import reasoning_splits
from bench.reasoning_splits import FOLDER, SEED, TUNE, balanced, main, samples, split
from src.claims import groups, read_labelled_claims
from src.records import Value

DATA = Path("../shared/data/programfc")
NAMES = ("hover_tune", "hover_report", "feverous_tune", "feverous_report", "hover_sample", "hover_sample_all",
         "hover_sample_voting", "hover_tune_sample")  # fmt: skip


def test_claims_with_a_title_in_common_are_connected() -> None:
    result = groups({"a": ["X", "Y"], "b": ["Z"], "c": ["y", "Z_1"], "d": ["Z 1"], "e": []})
    assert result == [["a", "c", "d"], ["b"], ["e"]]


def test_a_split_holds_whole_groups() -> None:
    titles = {str(number): [str(number // 3)] for number in range(30)}
    first = split(titles, 0.3, 1)
    assert len(first) == 9
    assert all(len({str(3 * group + at) for at in range(3)} & first) in (0, 3) for group in range(10))
    assert split(titles, 0.3, 1) == first
    assert split(titles, 0.3, 2) != first


def test_where_a_file_is_missing_no_list_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reasoning_splits, "FOLDER", tmp_path / "splits")
    (tmp_path / "claims.jsonl").write_text('{"claim": "Eels fly.", "label": "REFUTED"}', "utf-8")
    there, missing = str(tmp_path / "claims.jsonl"), str(tmp_path / "missing.jsonl")
    assert main(["--hover_release", there, "--feverous", there, "--hover", missing]) == 2
    assert capsys.readouterr().err.startswith(f"error: {missing}: not found")
    assert not (tmp_path / "splits").exists()


@pytest.mark.skipif(not DATA.exists(), reason="the data of ../shared is not here")
def test_the_lists_are_what_the_data_gives() -> None:
    lists = {name: (FOLDER / f"{name}.txt").read_text().split() for name in NAMES}
    hover = read_labelled_claims(DATA / "hover_dev_release_v1.1.json.gz")
    feverous = read_labelled_claims(DATA / "feverous_dev.json.gz")
    tuned = split({one.key: one.titles for one in [*hover, *feverous]}, TUNE, SEED)
    assert [one.key for one in hover if one.key in tuned] == lists["hover_tune"]
    assert [one.key for one in feverous if one.key not in tuned] == lists["feverous_report"]
    assert sorted(lists["hover_tune"] + lists["hover_report"]) == sorted(one.key for one in hover)
    assert sorted(lists["feverous_tune"] + lists["feverous_report"]) == sorted(one.key for one in feverous)
    titles = {title for one in [*hover, *feverous] if one.key in tuned for title in one.titles}
    assert not titles & {title for one in [*hover, *feverous] if one.key not in tuned for title in one.titles}
    gold = read_labelled_claims(DATA / "hover_dev_gold_evidence.jsonl.gz")
    drawn = samples([one for one in gold if one.key not in tuned], SEED)
    drawn["hover_tune_sample"] = balanced([one for one in gold if one.key in tuned], random.Random(SEED))
    assert {name: [one.key for one in claims] for name, claims in drawn.items()} == {
        name: lists[name] for name in drawn
    }
    for name in ("hover_sample", "hover_tune_sample"):
        many = Counter((one.hops, one.value) for one in drawn[name])
        assert many == {(hops, value): 20 for hops in (2, 3, 4) for value in (Value.TRUE, Value.FALSE)}
