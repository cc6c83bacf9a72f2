from pathlib import Path

import pytest

from src.errors import InputError
from src.retrieval.scraping.claim_urls import tsv_files


def test_a_folder_gives_the_claims_in_the_range(tmp_path: Path) -> None:
    for name in ("0.tsv", "2.tsv", "10.tsv", "notes.tsv", "3.json"):
        (tmp_path / name).touch()
    assert list(tsv_files(tmp_path, 0, -1)) == [0, 2, 10]
    assert list(tsv_files(tmp_path, 1, 10)) == [2]
    with pytest.raises(InputError, match=r"no <claim_id>\.tsv there for claims 3 to 9"):
        tsv_files(tmp_path, 3, 10)


def test_a_file_is_one_claim(tmp_path: Path) -> None:
    assert tsv_files(tmp_path / "17.tsv", 0, -1) == {17: tmp_path / "17.tsv"}
    for name in ("urls.tsv", "17.json"):
        with pytest.raises(InputError, match="named by the claim's number"):
            tsv_files(tmp_path / name, 0, -1)
