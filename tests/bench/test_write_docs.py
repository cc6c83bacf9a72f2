"""The pages of results are what their templates make of the results; figures are written in one way."""

from pathlib import Path

import pytest

from bench import write_docs
from bench.number_formats import (
    beyond,
    difference,
    fixed,
    megabytes,
    opposite,
    percent_difference,
    percent_with_interval,
    share,
    thousands,
    with_interval,
)


def test_every_page_is_what_its_template_makes_of_the_results() -> None:
    made = write_docs.pages()
    assert len(made) > 1
    assert [str(path) for path, text in made.items() if path.read_text(encoding="utf-8") != text] == []
    assert {path for path in made if path.parent == write_docs.DOCS} == set(write_docs.DOCS.glob("*.md"))


def test_check_reports_a_page_that_differs_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("A figure.\n", encoding="utf-8")
    for name, path in (("ROOT", tmp_path), ("DOCS", tmp_path / "docs"), ("README", readme)):
        monkeypatch.setattr(write_docs, name, path)
    assert write_docs.main(["--check"]) == 1
    assert "docs/bm25.md: differs from its results\n" in capsys.readouterr().out
    assert not (tmp_path / "docs").exists()
    assert write_docs.main([]) == 0
    assert write_docs.main(["--check"]) == 0


MEASURED = {"value": 0.062, "interval": [-0.042, 0.08]}


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (share(0.155), ".155"),
        (share(-0.012), "\u2212.012"),
        (share(1.0), "1.000"),
        (share(-0.0001), ".000"),
        (with_interval({"share": 0.5, "low": 0.4, "high": 0.612}), ".500 (.400\u2013.612)"),
        (with_interval({"value": 0.5, "interval": None}), ".500"),
        (percent_with_interval(MEASURED), "6.2 (\u22124.2\u20138.0)"),
        (difference(MEASURED), "+.062 (\u2212.042 to +.080)"),
        (percent_difference(MEASURED), "+6.2 (\u22124.2 to +8.0)"),
        (thousands(50000), "50,000"),
        (megabytes(57_300_000), "57"),
        (megabytes(4_650_818), "4.7"),
        (difference(opposite(MEASURED)), "\u2212.062 (\u2212.080 to +.042)"),
        (difference(opposite({"value": -0.5})), "+.500"),
        (fixed(beyond([{"cold": {"seconds": 3.5}, "start": {"seconds": 1.25}}], "cold", "start"), 2), "2.25"),
    ],
)
def test_figures_are_written_in_one_way(written: str, text: str) -> None:
    assert written == text
