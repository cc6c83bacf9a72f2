"""`bench.planted_pages`: the page is among the claim's pages, and verdicts for and against it are counted."""

from pathlib import Path

import pytest

from bench import planted_pages
from bench.planted_pages import EVERYDAY, URL, WANTED, WORDINGS, Result, main, measured, row, table
from src.check import CheckRequest
from src.records import Document, Level, Prediction, QAPair, Verdict
from src.store import read_claims, read_json, read_records

CLAIM = "In Teal County, fewer people are out of work than at any time since 2004."


def prediction(verdict: Verdict, level: Level | None, *urls: str) -> Prediction:
    return Prediction(0, CLAIM, [QAPair("Is it?", "Yes.", url) for url in urls], verdict, level=level)


def test_verdicts_that_the_page_wants_are_counted() -> None:
    before = [
        prediction(Verdict.REFUTED, Level.UNDECIDED, "https://a.example/"),
        prediction(Verdict.SUPPORTED, Level.UNDECIDED, "https://a.example/"),
    ]
    after = [
        prediction(Verdict.SUPPORTED, Level.LEANING, "https://a.example/", URL),
        prediction(Verdict.SUPPORTED, Level.FIRM, "https://a.example/"),
    ]
    counts = row("stacked", "order", Verdict.SUPPORTED, before, after)
    assert (counts.before, counts.after) == (1, 2)
    assert (counts.relied_before, counts.relied_after, counts.firm) == (0, 2, 1)
    assert counts.shown == 1
    assert "| stacked | order | Supported | 2 | 1 | 1, 2 | 0, 2 | 1 |" in table([counts])


def test_a_model_without_levels_has_no_count_of_them() -> None:
    one = [prediction(Verdict.REFUTED, None)]
    counts = row("llm", "order", Verdict.REFUTED, one, one)
    assert (counts.relied_before, counts.relied_after, counts.firm) == (None, None, None)
    assert "| llm | order | Refuted | 1 | 0 | 1, 1 | no levels |  |" in table([counts])


def test_rows_of_another_model_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted_pages, "_check_by", lambda name: lambda _: prediction(Verdict.REFUTED, None))
    file = tmp_path / "rows.json"
    for name in ("llm", "stacked", "llm"):
        assert main(["--verdict", name, "--claims", "1", "--json", str(file)]) == 0
    assert [one.model for one in read_json(file, Result).rows] == ["stacked"] * 4 + ["llm"] * 4


def test_the_page_is_one_more_page_of_the_claim() -> None:
    claim = read_claims(EVERYDAY / "claims.json")[0]

    def check(request: CheckRequest) -> Prediction:
        assert request.sources.knowledge_store is not None
        pages = read_records(request.sources.knowledge_store, Document)
        own = [page for page in pages if page.url == URL]
        assert len(pages) > len(own)
        if not own:
            return prediction(Verdict.NOT_ENOUGH_EVIDENCE, Level.UNDECIDED)
        text = " ".join(own[0].url2text)
        assert claim.claim in text
        return prediction(Verdict.REFUTED if "is false" in text else Verdict.SUPPORTED, Level.LEANING, URL)

    rows = list(measured("stacked", [claim], check))
    assert [(one.wording, one.wanted) for one in rows] == [(text, wanted) for text in WORDINGS for wanted in WANTED]
    assert [(one.before, one.after, one.relied_after, one.shown) for one in rows] == [(0, 1, 1, 1)] * 4
