from pathlib import Path

import pytest

from src.errors import InputError
from src.retrieval.scraping.plan import ClaimUrls, missing_claims, tsv_files
from src.runner.fingerprint import Fingerprint


def test_a_folder_gives_the_claims_in_the_range(tmp_path: Path) -> None:
    for name in ("0.tsv", "2.tsv", "10.tsv", "notes.tsv", "3.json"):
        (tmp_path / name).touch()
    assert list(tsv_files(tmp_path, 0, -1)) == [0, 2, 10]
    assert list(tsv_files(tmp_path, 1, 10)) == [2]
    with pytest.raises(InputError, match=r"no <claim_id>\.tsv there for claims 3 to 9"):
        tsv_files(tmp_path, 3, 10)


def test_a_file_is_one_claim(tmp_path: Path) -> None:
    for name in ("17.tsv", "urls.tsv", "17.json", "017.tsv"):
        (tmp_path / name).touch()
    assert tsv_files(tmp_path / "17.tsv", 0, -1) == {17: tmp_path / "17.tsv"}
    for name in ("urls.tsv", "17.json", "017.tsv"):
        with pytest.raises(InputError, match="named by the claim's number"):
            tsv_files(tmp_path / name, 0, -1)


def test_two_names_of_one_claim_are_refused(tmp_path: Path) -> None:
    for name in ("1.tsv", "01.tsv"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"01\.tsv: the file must be named by the claim's number"):
        tsv_files(tmp_path)


def test_a_range_chooses_among_files_of_a_folder_only(tmp_path: Path) -> None:
    (tmp_path / "0.tsv").touch()
    with pytest.raises(InputError, match="--start and --end choose among the files of a folder"):
        tsv_files(tmp_path / "0.tsv", 5, 6)
    with pytest.raises(InputError, match="the start must be 0 or more and below the end"):
        tsv_files(tmp_path, 2, 1)


@pytest.mark.parametrize(
    ("there", "start", "end", "missing"),
    [([0, 1, 3], 0, 10, "2, 4-9"), ([0, 1, 3], 0, -1, "2"), ([5], 3, 8, "3-4, 6-7"), ([0, 1], 0, 2, "")],
)
def test_claims_without_a_tsv_are_named(there: list[int], start: int, end: int, missing: str) -> None:
    made = Fingerprint("", {}, {}, 0, 0, 0)
    claims = [ClaimUrls(claim_id, Path(), Path(), made) for claim_id in there]
    assert missing_claims(claims, start, end) == missing


def test_only_digits_from_0_to_9_name_a_claim(tmp_path: Path) -> None:
    for name in ("\u0660.tsv", "1.tsv"):
        (tmp_path / name).touch()
    assert list(tsv_files(tmp_path)) == [1]
    with pytest.raises(InputError, match="the file must be named by the claim's number"):
        tsv_files(tmp_path / "\u0660.tsv")
