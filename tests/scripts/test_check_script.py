"""script/check.sh: files are seen from where the call was made, models from the project's root."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from src.models.reranker import RERANKERS
from src.prediction.verdicts import LLM, VERDICT_MODELS
from tests.scripts.copied import Scripts, copy_scripts, value_of


@pytest.fixture
def scripts(project_root: Path, tmp_path: Path) -> Scripts:
    return copy_scripts(project_root, tmp_path)


def test_files_are_seen_from_where_the_call_was_made(scripts: Scripts, tmp_path: Path) -> None:
    flags = ["--urls", "urls.txt", "--exclude_urls", "/bad.txt", "--date", "1-2-2020", "--json"]
    assert scripts.bash("check.sh", "Eels *swim*  far.", *flags, cwd=tmp_path).returncode == 0
    (call,) = scripts.calls()
    assert call[:3] == ["-m", "src.check", "Eels *swim*  far."]
    assert value_of("--urls", call) == str(tmp_path / "urls.txt")
    assert value_of("--exclude_urls", call) == "/bad.txt"
    assert value_of("--date", call) == "1-2-2020"
    assert call[-1] == "--json"


def test_providers_and_models_are_names_unless_they_are_files(scripts: Scripts, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("https://a.example/")
    for given, passed in [("file:urls.txt", f"file:{tmp_path / 'urls.txt'}"), ("google", "google")]:
        scripts.bash("check.sh", "Eels swim.", "--search", given, "--llm", "smollm2", cwd=tmp_path)
        assert value_of("--search", scripts.calls()[-1]) == passed
        assert value_of("--llm", scripts.calls()[-1]) == "smollm2"


@pytest.mark.parametrize(
    ("flag", "names"), [("--reranker", RERANKERS), ("--verdict", [*VERDICT_MODELS, LLM])], ids=["reranker", "verdict"]
)
def test_models_are_names_first_and_else_files(
    flag: str, names: Iterable[str], scripts: Scripts, tmp_path: Path
) -> None:
    def passed(given: str) -> str:
        assert scripts.bash("check.sh", "Eels swim.", flag, given, cwd=tmp_path).returncode == 0
        return value_of(flag, scripts.calls()[-1])

    assert passed("mine") == "mine"
    for name in (*names, "mine"):
        (tmp_path / name).mkdir()
    assert passed("mine") == str(tmp_path / "mine")
    assert [passed(name) for name in names] == [*names]


def test_standard_input_stays_what_it_is(scripts: Scripts, tmp_path: Path) -> None:
    scripts.bash("check.sh", "Eels swim.", "--urls", "-", cwd=tmp_path)
    assert value_of("--urls", scripts.calls()[0]) == "-"


def test_the_exit_code_is_that_of_the_step(scripts: Scripts, tmp_path: Path) -> None:
    scripts.fail("src.check", 2)
    assert scripts.bash("check.sh", "Eels swim.", cwd=tmp_path).returncode == 2


def test_without_a_claim_it_says_how(scripts: Scripts, tmp_path: Path) -> None:
    done = scripts.bash("check.sh", cwd=tmp_path)
    assert done.returncode == 2
    assert "--knowledge_store FILE" in done.stderr
    assert scripts.calls() == []


def test_a_flag_may_be_joined_to_its_file(scripts: Scripts, tmp_path: Path) -> None:
    assert scripts.bash("check.sh", "Eels = fish.", "--urls=a=b.txt", cwd=tmp_path).returncode == 0
    (call,) = scripts.calls()
    assert (call[2], value_of("--urls", call)) == ("Eels = fish.", str(tmp_path / "a=b.txt"))


def test_before_anything_is_set_up_one_line_says_so(
    scripts: Scripts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    (bare / "python3").symlink_to("/bin/false")
    (scripts.tools / "python").unlink()
    monkeypatch.setenv("PATH", f"{bare}:/usr/bin:/bin")
    done = scripts.bash("check.sh", "Eels swim.", "--urls", "-", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "error: not set up yet: bash script/setup.sh\n")
