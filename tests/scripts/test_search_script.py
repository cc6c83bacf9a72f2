"""script/search.sh: one folder of URL files for all ranges of a split."""

from pathlib import Path

from tests.scripts.copied import copy_scripts, value_of


def test_search_names_claims_and_folder_by_the_split(project_root: Path, tmp_path: Path) -> None:
    scripts = copy_scripts(project_root, tmp_path)
    assert scripts.bash("search.sh", "dev", "20", "40", "--provider", "google", cwd=tmp_path).returncode == 0
    (call,) = scripts.calls()
    assert call[:2] == ["-m", "src.retrieval.search"]
    assert value_of("--claim_file", call) == "data/dev.json"
    assert value_of("-o", call) == "data_store/dev_store"
    assert (value_of("-s", call), value_of("-e", call), value_of("--provider", call)) == ("20", "40", "google")


def test_search_without_a_range_prints_its_usage(project_root: Path, tmp_path: Path) -> None:
    done = copy_scripts(project_root, tmp_path).bash("search.sh", "dev")
    assert done.returncode == 2
    assert "SPLIT START END" in done.stderr
