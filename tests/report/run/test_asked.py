"""What the command line may name."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.report.run import named_folder, named_folders
from src.report.site import check_report_folder


def test_a_run_has_the_name_that_is_given_or_its_folder_s(tmp_path: Path) -> None:
    (tmp_path / "a=b").mkdir()
    assert named_folder(f"first={tmp_path}") == ("first", tmp_path)
    assert named_folder(str(tmp_path / "a=b")) == ("a=b", tmp_path / "a=b")
    assert named_folder("out/x/").name == "x"


@pytest.mark.parametrize("text", ["=x", "x="])
def test_half_a_name_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="neither NAME=FOLDER nor a folder"):
        named_folder(text)


def test_only_an_earlier_report_is_replaced(tmp_path: Path) -> None:
    assert check_report_folder(tmp_path / "new", "step") == tmp_path / "new"
    assert check_report_folder(tmp_path, "step") == tmp_path
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="is not empty, and no earlier report"):
        check_report_folder(tmp_path, "step")


def test_two_runs_of_one_name_are_refused(tmp_path: Path) -> None:
    assert [one.name for one in named_folders([f"{tmp_path}/a/run", f"other={tmp_path}/b/run"])] == ["run", "other"]
    with pytest.raises(InputError, match="two runs are called 'run'; NAME=FOLDER names one"):
        named_folders([f"{tmp_path}/a/run", f"{tmp_path}/b/run"])
