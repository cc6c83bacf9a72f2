"""The step: what it prints, and how it ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from src.check import CheckedClaim, __main__
from src.check.__main__ import main
from src.check.records import CheckRequest, ProgressEvent, Stage
from src.errors import ModelError
from src.llm.weights import SMOLLM2
from tests.check.test_text import checked
from tests.test_imports import HEAVY


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[CheckRequest]:
    """Replace the check by one that reports a page and ends; the list of requests."""
    every: list[CheckRequest] = []

    def instead(request: CheckRequest, *, tell: object, **_: object) -> CheckedClaim:
        every.append(request)
        assert callable(tell)
        tell(ProgressEvent(Stage.PAGES))
        tell(ProgressEvent(Stage.PAGES, 1, 2, "https://a.example/"))
        return checked()

    monkeypatch.setattr(__main__, "check_claim", instead)
    return every


def test_the_answer_goes_to_stdout_and_the_stages_to_stderr(
    requests: list[CheckRequest], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "urls").write_text("https://a.example/\n")
    flags = ["--urls", str(tmp_path / "urls"), "--date", "1-2-2020", "--speaker", "Ann", "--strategy", "programs"]
    assert main(["Eels swim.", *flags, "--top_n", "2"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("Claim\n    Eels swim.")
    assert output.err == "check: pages\n"
    (one,) = requests
    assert (one.claim, one.date, one.speaker, one.strategy, one.top_n) == (
        "Eels swim.",
        "1-2-2020",
        "Ann",
        "programs",
        2,
    )
    assert one.sources.urls == ("https://a.example/",)


def test_json_is_the_whole_record(
    requests: list[CheckRequest], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "urls").write_text("https://a.example/\n")
    assert main(["Eels swim.", "--urls", str(tmp_path / "urls"), "--json", "--quiet"]) == 0
    output = capsys.readouterr()
    record = json.loads(output.out)
    assert record["prediction"]["pred_label"] == "Refuted"
    assert set(record["prediction"]["probabilities"]) >= {"Supported", "Conflicting Evidence/Cherrypicking"}
    assert (record["seconds"]["total"], output.err) == (4.0, "")


def test_the_answer_is_a_page_too(
    requests: list[CheckRequest], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "urls").write_text("https://a.example/\n")
    flags = ["Eels swim.", "--urls", str(tmp_path / "urls"), "--page", str(tmp_path / "new" / "eels.html"), "--quiet"]
    assert main(flags) == 0
    page = (tmp_path / "new" / "eels.html").read_text()
    assert "<h1>Eels swim.</h1>" in page
    assert capsys.readouterr().out.endswith(f"\nPage: {tmp_path / 'new' / 'eels.html'}\n")
    assert main([*flags, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["strategy"]


def test_an_interruption_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object, **__: object) -> CheckedClaim:
        raise KeyboardInterrupt

    monkeypatch.setattr(__main__, "check_claim", stopped)
    (tmp_path / "urls").write_text("https://a.example/\n")
    page = tmp_path / "eels.html"
    assert main(["Eels swim.", "--urls", str(tmp_path / "urls"), "--page", str(page), "--quiet"]) == 130
    assert capsys.readouterr().err == "stopped; the answer is not complete\n"
    assert not page.exists()


@pytest.mark.parametrize("place", ["urls_of", "described"])
def test_an_interruption_before_and_after_the_check_promises_no_resumption(
    place: str,
    requests: list[CheckRequest],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stopped(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(__main__, place, stopped)
    (tmp_path / "urls").write_text("https://a.example/\n")
    assert main(["Eels swim.", "--urls", str(tmp_path / "urls"), "--quiet"]) == 130
    assert capsys.readouterr().err == "stopped; the answer is not complete\n"


def test_a_page_that_cannot_be_written_is_found_before_the_check(
    requests: list[CheckRequest], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "urls").write_text("https://a.example/\n")
    for page, wrong in ((".", "the page is a folder"), ("urls", "would overwrite --urls"), ("urls/x", "cannot write")):
        assert main(["Eels swim.", "--urls", str(tmp_path / "urls"), "--page", str(tmp_path / page)]) == 2
        assert wrong in capsys.readouterr().err
    assert requests == []


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--urls", "no.txt"], "error: no.txt: not found"),
        (["--urls", "a.txt", "--knowledge_store", "a.txt"], "error: a knowledge store is used alone"),
        (["--urls", "-", "--text", "-"], "error: standard input is named twice"),
        (["--text", " "], "error: --text: the text is empty"),
        (["--pdf", "no.pdf"], "error: no.pdf: not found"),
        (["--urls", "a.txt", "--date", "yesterday"], "error: field date: 'yesterday' is no day, such as"),
        (["--knowledge_store", "a.txt"], "error: a.txt, line 1: "),
        (
            ["--urls", "a.txt", "--llm", "openai:x", "--batch_file", "b"],
            "error: --batch_file: a check cannot wait",
        ),
    ],
)
def test_bad_input_ends_with_one_line(
    flags: list[str],
    message: str,
    project_root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pretrained_models").symlink_to(project_root / "pretrained_models")
    Path("a.txt").write_text("https://a.example/\n")
    assert main(["Eels swim.", *flags]) == 2
    out, err = capsys.readouterr()
    assert err.startswith(message)
    assert (err.count("\n"), out) == (1, "")


@pytest.mark.parametrize(
    ("source", "content"),
    [
        ("--urls", "https://a.example/\n"),
        ("--knowledge_store", '{"url": "https://a.example/", "url2text": ["Eels swim."]}\n'),
    ],
)
def test_a_missing_language_model_is_reported_before_pages_are_read(
    source: str,
    content: str,
    project_root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path(tmp_path, "pretrained_models").mkdir()
    for entry in (project_root / "pretrained_models").iterdir():
        if entry.name != SMOLLM2.folder:
            Path(tmp_path, "pretrained_models", entry.name).symlink_to(entry)
    monkeypatch.chdir(tmp_path)
    Path("pages").write_text(content)
    assert main(["Eels swim.", source, "pages"]) == 2
    out, err = capsys.readouterr()
    assert err == f"error: {SMOLLM2.missing()}\n"
    assert out == ""


def test_a_model_that_fails_ends_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object, **__: object) -> CheckedClaim:
        raise ModelError("no answer")

    monkeypatch.setattr(__main__, "check_claim", fails)
    (tmp_path / "urls").write_text("https://a.example/\n")
    assert main(["Eels swim.", "--urls", str(tmp_path / "urls")]) == 2
    assert capsys.readouterr().err == "error: no answer\n"


def test_importing_it_loads_no_heavy_library(project_root: Path) -> None:
    code = "import sys, src.check; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=project_root, capture_output=True, text=True, check=True)
    assert "src" in done.stdout.split()
    assert not set(done.stdout.split()) & HEAVY
