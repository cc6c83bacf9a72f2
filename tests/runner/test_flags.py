"""The command line of a settings record: names, types, bounds, groups, and messages for wrong values."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from src.errors import InputError
from src.runner.claim_range import ClaimRange, Claims
from src.runner.flags import parsed, parser_of
from src.settings import (
    Flag,
    Group,
    Positive,
    Share,
    StepSettings,
    as_base,
    flag_names,
    refuse_unread,
    values_of,
)


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Engine(msgspec.Struct, frozen=True):
    device: Annotated[str | None, Flag("where")] = None
    slots: Annotated[int, Flag("how many")] = 1
    secret: int = 7


class Everything(StepSettings, frozen=True, kw_only=True):
    claim: Annotated[str, Flag("the claim", positional=True)]
    source: Annotated[Path, Flag("input", "-i")]
    output: Annotated[Path, Flag("output", "-o", "--json_output")] = Path("out.json")
    top_k: Annotated[Positive, Flag("how many")] = 3
    limit: Annotated[Positive | None, Flag("at most")] = None
    part: Annotated[Share, Flag("share, 50 % say")] = 0.5
    color: Annotated[Color, Flag("color")] = Color.RED
    form: Annotated[Literal["long", "short"], Flag("form")] = "long"
    chat: Annotated[bool | None, Flag("chat")] = None
    wide: Annotated[bool, Flag("wide")] = True
    deep: Annotated[bool, Flag("deep", negatable=True)] = False
    names: Annotated[tuple[str, ...], Flag("names", may_be_empty=True)] = ("a", "b")
    runs: Annotated[tuple[Path, ...], Flag("runs", repeated=True)] = ()
    keep: Annotated[Path | None, Flag("keep", one_of="pages")] = None
    take: Annotated[Path | None, Flag("take", one_of="pages")] = None
    model: Annotated[str, Flag("name, path or kind:path", or_path=True, names=("small",))] = "small"
    judge: Annotated[str | None, Flag("name, else a path", else_path=True, names=("stacked",))] = None
    engine: Annotated[Engine, Group("engine")] = Engine(slots=2)
    range: Claims = ClaimRange()


PARSER = parser_of(Everything, "src.everything", "Step: everything.")


def settings(*flags: str) -> Everything:
    return parsed(Everything, PARSER, ["water is wet", "-i", "in.json", *flags])


def test_defaults_are_those_of_the_record() -> None:
    assert settings() == Everything(claim="water is wet", source=Path("in.json"))
    assert settings().engine.slots == 2  # the default of the step, not that of the group's record


def test_every_kind_of_value_is_read() -> None:
    given = settings(
        "--json_output", "x.json", "--top_k", "5", "--limit", "1", "--part", "1", "--color", "blue", "--form", "short",
        "--no-chat", "--no-wide", "--names", "c", "d", "--runs", "r", "--runs", "s", "--keep", "k", "--device", "cuda",
        "--slots", "4", "-s", "1", "-e", "9", "--quiet",
    )  # fmt: skip
    assert given == Everything(
        claim="water is wet", source=Path("in.json"), output=Path("x.json"), top_k=5, limit=1, part=1.0,
        color=Color.BLUE, form="short", chat=False, wide=False, names=("c", "d"), runs=(Path("r"), Path("s")),
        keep=Path("k"), engine=Engine("cuda", 4), range=ClaimRange(1, 9), quiet=True,
    )  # fmt: skip
    assert type(given.color) is Color


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--top_k", "0"], "argument --top_k: 0 is not at least 1"),
        (["--limit", "-1"], "argument --limit: -1 is not at least 1"),
        (["--top_k", "1.5"], "argument --top_k: 1.5 is no whole number"),
        (["--part", "1.5"], "argument --part: 1.5 is not from 0 to 1"),
        (["--limit", "1" * 400 + "x"], f"argument --limit: {'1' * 400}x is no whole number"),
        (["--part", "nan"], "argument --part: nan is not a finite number"),
        (["--color", "green"], "argument --color: invalid choice: 'green' (choose from 'red', 'blue')"),
        (["--keep", "a", "--take", "b"], "argument --take: not allowed with argument --keep"),
        (["--output", "x"], "unrecognized arguments: --output x"),
        (["--top", "5"], "unrecognized arguments: --top 5"),
    ],
)
def test_a_wrong_value_is_one_line(flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        settings(*flags)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"error: {message} (--help lists the flags)\n"


class Files(StepSettings, frozen=True, kw_only=True):
    files: Annotated[tuple[Path, ...], Flag("files", positional=True)]


def test_a_positional_tuple_without_default_needs_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    parser = parser_of(Files, "src.files", "Step: files.")
    assert parsed(Files, parser, ["a", "b"]).files == (Path("a"), Path("b"))
    with pytest.raises(SystemExit):
        parsed(Files, parser, [])
    assert "required: files" in capsys.readouterr().err


def test_what_must_be_given_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(Everything, PARSER, ["claim"])
    assert "required: -i/--source" in capsys.readouterr().err


def test_help_shows_groups_defaults_and_percent_signs() -> None:
    shown = PARSER.format_help()
    assert "share, 50 % say (default: 0.5)" in shown
    assert "\nengine:\n" in shown
    assert "secret" not in shown


def test_values_are_those_of_the_flags_alone() -> None:
    values = values_of(settings("--slots", "5"))
    assert values["slots"] == 5
    assert "secret" not in values
    assert "engine" not in values
    assert [*values] == flag_names(Everything)


def test_a_setting_without_effect_is_refused() -> None:
    refuse_unread(settings(), ["slots", "wide", "keep"], "goes with nothing")
    with pytest.raises(InputError, match=r"^--slots goes with nothing$"):
        refuse_unread(settings("--slots", "1"), ["slots"], "goes with nothing")
    with pytest.raises(InputError, match=r"^--no-wide goes with nothing$"):
        refuse_unread(settings("--no-wide"), ["wide"], "goes with nothing")


def test_paths_are_those_of_the_folder_where_a_script_was_called(tmp_path: Path) -> None:
    (tmp_path / "small").touch()
    (tmp_path / "mine").touch()

    def called(*flags: str) -> Everything:
        return settings("--called_from", str(tmp_path), *flags)

    given = called("--json_output", "x.json", "--runs", "/r", "--runs", "s", "--keep", "-")
    assert given.source == tmp_path / "in.json"
    assert given.output == tmp_path / "x.json"
    assert given.runs == (Path("/r"), tmp_path / "s")
    assert given.keep == Path("-")  # standard input
    assert called().output == Path("out.json")  # a default is that of the project's root
    for name in ("a:b", "transformers", "m:x.gguf"):
        (tmp_path / name).touch()
    expected = {
        "small": "small",
        "mine": f"{tmp_path}/mine",
        "none": "none",
        "a:b": f"{tmp_path}/a:b",
        "gguf:mine": f"gguf:{tmp_path}/mine",
        "gguf:none": "gguf:none",
        "gguf:m:x.gguf": f"gguf:{tmp_path}/m:x.gguf",
        "smollm2:transformers": "smollm2:transformers",  # what follows is no path, whatever the folder has
    }
    assert {name: called("--model", name).model for name in expected} == expected
    judges = {"stacked": "stacked", "mine": f"{tmp_path}/mine", "src": f"{tmp_path}/src"}  # the root has a folder src
    assert {name: called("--judge", name).judge for name in judges} == judges


def test_a_list_that_may_be_empty_is_emptied_by_its_flag_alone() -> None:
    assert settings("--names").names == ()
    assert settings().names == ("a", "b")


def test_a_flag_whose_default_is_false_can_be_negatable() -> None:
    assert settings("--deep").deep
    assert not settings("--deep", "--no-deep").deep


def test_settings_of_a_base_record_alone() -> None:
    assert as_base(settings("--quiet"), StepSettings) == StepSettings(quiet=True)


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    source: Annotated[Path, Flag("input", "-i")]


class Outer(msgspec.Struct, frozen=True, kw_only=True):
    needed: Annotated[Needed, Group()]


def test_a_group_may_have_settings_that_must_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    parser = parser_of(Outer, "src.outer", "Step: outer.")
    given = parsed(Outer, parser, ["-i", "a"])
    assert given == Outer(needed=Needed(source=Path("a")))
    assert values_of(given) == {"source": Path("a")}
    with pytest.raises(SystemExit):
        parsed(Outer, parser, [])
    assert "required: -i/--source" in capsys.readouterr().err


def test_a_huge_whole_number_is_read() -> None:
    assert settings("--limit", "9" * 400).limit == int("9" * 400)


class Renamed(msgspec.Struct, frozen=True):
    strategy: Annotated[str, Flag("how", choices=("questions", "programs"), former="--road")] = "questions"


@pytest.mark.parametrize(
    ("argv", "strategy", "note"),
    [
        ([], "questions", ""),
        (["--strategy", "programs"], "programs", ""),
        (["--road", "programs"], "programs", "note: --road is called --strategy now; the old name will be removed\n"),
    ],
)
def test_a_former_name_works_and_says_so(
    argv: list[str], strategy: str, note: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = parser_of(Renamed, "src.step", "Step.")
    assert "--road" not in parser.format_help()
    assert parsed(Renamed, parser, argv).strategy == strategy
    assert capsys.readouterr().err == note
    with pytest.raises(SystemExit):
        parser.parse_args(["--road", "rails"])
