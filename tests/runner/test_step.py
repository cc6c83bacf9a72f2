"""Claim ranges, paths, and exit codes of a step."""

from pathlib import Path

import pytest

from src.errors import BusyError, InputError, ModelError
from src.records import Claim
from src.runner.claim_range import ClaimRange, end_of, in_range, in_words
from src.runner.paths import existing_file, output_folder
from src.runner.step import Step, exit_code_of


def claims(*ids: int) -> list[Claim]:
    return [Claim("c", claim_id) for claim_id in ids]


@pytest.mark.parametrize(
    ("start", "end", "chosen"),
    [(0, -1, [0, 1, 2, 7]), (0, 8, [0, 1, 2, 7]), (1, 3, [1, 2]), (2, 7, [2]), (7, -1, [7]), (3, 8, [7])],
)
def test_ranges_are_of_claim_ids_in_their_order(start: int, end: int, chosen: list[int]) -> None:
    assert [claim.claim_id for claim in in_range(claims(7, 2, 0, 1), start, end)] == chosen


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (0, 0, "--end 0: must be above 0 (--start) and at most 8"),
        (3, 2, "--end 2: must be above 3 (--start) and at most 8"),
        (0, 9, "--end 9: must be above 0 (--start) and at most 8"),
        (0, -2, "--end -2: must be above 0 (--start) and at most 8"),
        (8, -1, "--start 8: the claims are 0 to 7"),
        (9, 12, "--start 9: the claims are 0 to 7"),
        (-1, 3, "--start -1: the claims are 0 to 7"),
    ],
)
def test_ranges_outside_are_refused(start: int, end: int, message: str) -> None:
    with pytest.raises(InputError) as refused:
        in_range(claims(0, 7), start, end, Path("dev.json"))
    assert str(refused.value) == f"dev.json: {message}"


def test_a_range_between_the_claims_is_refused() -> None:
    with pytest.raises(InputError, match="--start 3 --end 6: no claim has such a claim_id"):
        in_range(claims(0, 7), 3, 6)


@pytest.mark.parametrize(("ids", "words"), [([2, 4, 5, 6], "2, 4-6"), ([9, 8, 3, 3], "3, 8-9"), ([7], "7"), ([], "")])
def test_ids_in_words(ids: list[int], words: str) -> None:
    assert in_words(ids) == words


def test_no_claims_at_all() -> None:
    assert end_of([]) == 0
    with pytest.raises(InputError, match="no claims"):
        in_range([], 0, -1)


def test_a_missing_file_names_the_step_that_writes_it(tmp_path: Path) -> None:
    assert existing_file(Path(__file__), "x") == Path(__file__)
    for path, message in (
        (tmp_path / "top.json", r"not found; it is written by: src\.first"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(InputError, match=f": {message}"):
            existing_file(path, "src.first")


def test_a_folder_to_write_in_is_no_file(tmp_path: Path) -> None:
    assert output_folder(tmp_path / "new" / "deep") == tmp_path / "new" / "deep"
    assert output_folder(tmp_path) == tmp_path
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "deep"):
        with pytest.raises(InputError, match="/file: is a file; name a folder"):
            output_folder(path)
    assert {one.name for one in tmp_path.iterdir()} == {"file"}


def ending_with(error: BaseException) -> int:
    def work() -> int:
        raise error

    return exit_code_of(work)


@pytest.mark.parametrize("error", [InputError("wrong"), BusyError("two\nlines"), ModelError("no server")])
def test_errors_of_ours_are_one_line_and_exit_2(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    assert ending_with(error) == 2
    captured = capsys.readouterr()
    assert captured.err == f"error: {error}\n".replace("two\nlines", "two lines")
    assert captured.out == ""


def test_an_interruption_exits_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert ending_with(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "stopped; start it again to go on from here\n"


def test_a_fault_of_the_program_is_no_failed_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert ending_with(ZeroDivisionError("what")) == 3
    assert "Traceback" in capsys.readouterr().err


def test_a_name_that_is_too_long_for_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(lambda: int(Path("x" * 300).is_dir())) == 2
    assert capsys.readouterr().err == f"error: {'x' * 300}: the name is too long for a file; give a shorter one\n"


@pytest.mark.parametrize(("code", "with_variable"), [(0, 0), (1, 5), (2, 2)])
def test_failed_claims_have_another_exit_code_on_request(
    code: int, with_variable: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Step(lambda _: code, ClaimRange)
    assert step([]) == code
    monkeypatch.setenv("FAILED_CLAIMS_CODE", "5")
    assert step([]) == with_variable
