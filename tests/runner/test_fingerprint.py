"""Fingerprints: which runs count as the same run."""

import os
from pathlib import Path
from typing import Annotated

import msgspec
import pytest

from src.errors import InputError
from src.runner.claim_range import ClaimRange, Claims
from src.runner.fingerprint import (
    Fingerprint,
    InputFile,
    changed_inputs,
    differences,
    fingerprint,
    input_files,
    plain_arguments,
    settings_of,
)
from src.settings import Flag, JobSettings

ONE = Fingerprint(
    "src.step", {"top_k": 3}, {"claims": InputFile("a.json", "0f"), "store": InputFile("kb", "aa")}, 0, 9, 10
)


class Some(JobSettings, frozen=True, kw_only=True):
    output: Annotated[Path, Flag("")] = Path("o")
    overwrite: Annotated[bool, Flag("")] = True
    strict: Annotated[bool, Flag("")] = True
    cache_dir: Annotated[Path, Flag("")] = Path("c")
    claims: Annotated[Path, Flag("")] = Path("c")
    top_k: Annotated[int, Flag("")] = 5
    model: Annotated[str | None, Flag("")] = None
    fast: Annotated[bool, Flag("")] = False
    folder: Annotated[Path, Flag("")] = Path("x")
    range: Claims = ClaimRange(0, 3)
    unmarked: int = 7


class Odd(msgspec.Struct, frozen=True):
    path: Annotated[Path, Flag("")] = Path("\udcff")
    text: Annotated[str, Flag("")] = "\udcff"
    numbers: Annotated[tuple[int, ...], Flag("")] = (1, 2)


def test_settings_are_the_arguments_without_paths_range_and_how_to_run() -> None:
    expected = {"top_k": 5, "model": None, "fast": False, "folder": "x"}
    assert settings_of(Some(), {"claims": Path("c")}) == expected


def test_odd_arguments_can_be_kept_as_json() -> None:
    assert msgspec.json.decode(msgspec.json.encode(plain_arguments(Odd()))) == {
        "path": "\\udcff",
        "text": "\\udcff",
        "numbers": "[1, 2]",
    }


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"one")
    first = input_files({"claims": file})
    file.write_bytes(b"two")
    assert input_files({"claims": file})["claims"].sha256 != first["claims"].sha256
    file.write_bytes(b"one")
    assert input_files({"claims": file}) == first


@pytest.mark.parametrize("change", ["size", "time", "name", "more"])
def test_a_folder_is_known_by_names_sizes_and_times(tmp_path: Path, change: str) -> None:
    for number in range(3):
        (tmp_path / f"{number}.json").write_bytes(b"one")
    first = input_files({"store": tmp_path})
    assert input_files({"store": tmp_path}) == first
    match change:
        case "size":
            (tmp_path / "1.json").write_bytes(b"longer")
        case "time":
            os.utime(tmp_path / "1.json", (1, 1))
        case "name":
            (tmp_path / "1.json").rename(tmp_path / "7.json")
        case _:
            (tmp_path / "3.json").write_bytes(b"")
    assert changed_inputs_of(first, input_files({"store": tmp_path})) == ["store"]


def test_a_subfolder_is_known_by_name_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = tmp_path / "0"
    pages.mkdir()
    first = input_files({"pages": tmp_path})
    stat = Path.stat

    def on_another_file_system(path: Path, **flags: bool) -> os.stat_result:
        state = stat(path, **flags)
        return os.stat_result((*state[:6], state.st_size + 1, *state[7:]), {"st_mtime_ns": state.st_mtime_ns})

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", on_another_file_system)
        assert input_files({"pages": tmp_path}) == first
    os.utime(pages, (1, 1))
    assert changed_inputs_of(first, input_files({"pages": tmp_path})) == ["pages"]


def changed_inputs_of(theirs: dict[str, InputFile], ours: dict[str, InputFile]) -> list[str]:
    return changed_inputs(msgspec.structs.replace(ONE, inputs=theirs), msgspec.structs.replace(ONE, inputs=ours))


def test_the_same_content_elsewhere_makes_no_difference() -> None:
    moved = ONE.inputs | {"claims": InputFile("b.json", "0f")}
    assert changed_inputs_of(ONE.inputs, moved) == []
    assert changed_inputs_of(ONE.inputs, moved | {"claims": InputFile("a.json", "1f")}) == ["claims"]
    assert changed_inputs_of(ONE.inputs, {}) == []
    assert changed_inputs_of(ONE.inputs, ONE.inputs | {"seed": InputFile("seed_1", "2f")}) == ["seed"]
    assert changed_inputs_of(ONE.inputs | {"seed": InputFile("seed_1", "2f")}, ONE.inputs) == ["seed"]


def test_folders_can_be_left_out() -> None:
    folder = msgspec.structs.replace(ONE, inputs={"store": InputFile("kb", "aa", is_folder=True)})
    other = msgspec.structs.replace(ONE, inputs={"store": InputFile("kb", "bb", is_folder=True)})
    assert changed_inputs(folder, other) == ["store"]
    assert changed_inputs(folder, other, folders=False) == []


def test_an_input_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: not found"):
        input_files({"claims": tmp_path / "none.json"})


def test_a_file_that_is_given_once_only_is_another_argument() -> None:
    given = msgspec.structs.replace(ONE, inputs=ONE.inputs | {"hints": InputFile("h.json", "3f")})
    without = msgspec.structs.replace(ONE, settings=ONE.settings | {"hints": None})
    assert differences(without, given) == "--hints not given there"
    assert differences(given, without) == "--hints not given here"
    named = msgspec.structs.replace(ONE, settings=ONE.settings | {"hints": "none at all"})
    assert differences(named, given) == "--hints none at all there, h.json here"
    assert differences(given, named) == "--hints h.json there, none at all here"


def test_a_setting_that_an_earlier_version_lacks_is_its_default() -> None:
    now = fingerprint("src.step", Some(top_k=3), {}, [1])
    before = msgspec.structs.replace(now.kept(), settings={"model": None, "folder": "x"})
    assert differences(before, now) == "--top_k 5 there, 3 here"
    assert differences(before, fingerprint("src.step", Some(), {}, [1])) == ""
    assert differences(now, before) == (
        "--claims c there, None here; --fast False there, None here; --top_k 3 there, None here"
    )


def test_the_name_of_an_output_is_no_setting_even_where_an_earlier_version_kept_it() -> None:
    now = fingerprint("src.step", Some(), {}, [1])
    before = msgspec.structs.replace(now.kept(), settings={**now.settings, "output_file": "old.jsonl"})
    assert differences(before, now) == differences(now, before) == ""


def test_defaults_are_not_kept_in_files() -> None:
    now = fingerprint("src.step", Some(), {}, [1])
    assert b"defaults" in msgspec.json.encode(now)
    assert b"defaults" not in msgspec.json.encode(now.kept())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"settings": {"top_k": 4}}, "--top_k 3 there, 4 here"),
        ({"settings": {"top_k": 3, "fast": True}}, "--fast None there, True here"),
        ({"last": 8, "claims": 9}, "claims 0 to 9 there, 0 to 8 here"),
        ({"step": "src.other"}, "step src.step"),
    ],
)
def test_differences_are_reported(change: dict[str, object], words: str) -> None:
    assert differences(ONE, msgspec.structs.replace(ONE, **change)) == words
