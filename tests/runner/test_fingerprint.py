"""What makes two runs the same run."""

from argparse import Namespace
from pathlib import Path

import msgspec
import pytest

from src.runner.fingerprint import Fingerprint, InputFile, differences, input_files, plain_arguments, settings_of

ONE = Fingerprint(
    "src.step", {"top_k": 3}, {"claims": InputFile("a.json", "0f"), "store": InputFile("kb", None)}, 0, 9, 10
)


def test_settings_are_the_arguments_without_paths_range_and_how_to_run() -> None:
    args = Namespace(start=0, end=3, output="o", overwrite=True, quiet=True, dry_run=False, strict=True,
                     claims=Path("c"), top_k=5, model=None, fast=False, folder=Path("x"))  # fmt: skip
    expected = {"top_k": 5, "model": None, "fast": False, "folder": "x"}
    assert settings_of(args, {"claims": Path("c")}) == expected


def test_odd_arguments_can_be_kept_as_json() -> None:
    odd = Namespace(path=Path("\udcff"), text="\udcff", numbers=[1, 2])
    assert msgspec.json.decode(msgspec.json.encode(plain_arguments(odd))) == {
        "path": "\\udcff",
        "text": "\\udcff",
        "numbers": "[1, 2]",
    }


def test_inputs_are_files_by_content_and_folders_by_name(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"one")
    first = input_files({"claims": file, "store": tmp_path})
    assert first["store"] == InputFile(str(tmp_path), None)
    file.write_bytes(b"two")
    assert input_files({"claims": file})["claims"].sha256 != first["claims"].sha256


def test_the_same_content_elsewhere_makes_no_difference() -> None:
    moved = msgspec.structs.replace(ONE, inputs=ONE.inputs | {"claims": InputFile("b.json", "0f")})
    assert differences(ONE, moved) == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"settings": {"top_k": 4}}, "--top_k 3 there, 4 here"),
        ({"settings": {"top_k": 3, "fast": True}}, "--fast None there, True here"),
        ({"inputs": {"claims": InputFile("a.json", "1f"), "store": InputFile("kb", None)}}, "another claims"),
        ({"inputs": {"claims": InputFile("a.json", "0f"), "store": InputFile("kb2", None)}}, "another store"),
        ({"inputs": {"claims": InputFile("a.json", "0f")}}, "another store"),
        ({"last": 8, "claims": 9}, "claims 0 to 9 there, 0 to 8 here"),
        ({"step": "src.other"}, "step src.step"),
    ],
)
def test_what_differs_is_said(change: dict[str, object], words: str) -> None:
    assert differences(ONE, msgspec.structs.replace(ONE, **change)) == words
