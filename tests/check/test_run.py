"""A claim end to end, with the sample's pages and the real small models."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from lxml.html import document_fromstring  # type: ignore[import-untyped]

from src.check import CheckedClaim, CheckRequest, Models, ProgressEvent, Scraping, Sources, Stage, Strategy, check_claim
from src.check.pages import NO_DATES
from src.check.records import Decisive, OwnDocument
from src.check.reliance import CAUTION
from src.errors import Cancelled, InputError, StoreError
from src.knowledge_store import KnowledgeStore
from src.records import VERDICTS, Claim, Document, Level, Verdict
from src.report.claim_page import SCRIPT, claim_page, view_of_check
from src.report.rendering import TEMPLATES
from src.reranking.hybrid.passages import LEFT_OUT
from src.retrieval.providers import SearchQuery
from src.retrieval.providers.file import UrlFile
from src.retrieval.url_rows import read_url_rows
from src.stance.levels import NEVER, Levels, Limits
from src.store import encode_list, read_records
from tests.check.hostile_page import hostile
from tests.retrieval.archive import archive
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS

pytestmark = pytest.mark.long

STAGES = {
    Strategy.QUESTIONS: [Stage.PAGES, Stage.RETRIEVAL, Stage.SELECTION, Stage.QUESTIONS, Stage.VERDICT, Stage.DECISIVE,
                     Stage.JUSTIFICATION],
    Strategy.PROGRAMS: [Stage.PAGES, Stage.PROGRAM, Stage.STEPS, Stage.VERDICT, Stage.JUSTIFICATION],
}  # fmt: skip


def urls_of(sample: Path, claim_id: int) -> tuple[str, ...]:
    return tuple(row.url for row in read_url_rows(sample / "urls" / f"{claim_id}.tsv"))


def asked_of(claim: Claim, sources: Sources, strategy: Strategy = Strategy.QUESTIONS) -> CheckRequest:
    return CheckRequest(claim.claim, sources, claim.claim_date or "", claim.speaker or "", strategy)


@pytest.fixture(scope="module")
def events() -> list[ProgressEvent]:
    """Events of the check in `checked`."""
    return []


@pytest.fixture(scope="module")
def checked(sample: Path, claims: list[Claim], models: Models, events: list[ProgressEvent]) -> CheckedClaim:
    """Claim 4 from its served pages, in a thread of its own, as a server checks."""
    with archive(sample) as address, ThreadPoolExecutor(1) as thread:
        request = asked_of(claims[4], Sources(urls=urls_of(sample, 4)))
        how = Scraping(via=address, allow_private=True)
        return thread.submit(check_claim, request, models=models, scraping=how, tell=events.append).result()


def test_every_piece_of_evidence_stands_on_its_page(checked: CheckedClaim, sample: Path) -> None:
    store = {page.url: page.url2text for page in KnowledgeStore(sample / "knowledge_store")[4]}
    assert len(checked.prediction.evidence) == 5
    for pair in checked.prediction.evidence:
        assert pair.question.endswith("?")
        assert isinstance(pair.url, str)
        page = " ".join(text.replace("\n", " ") for text in store[pair.url])
        assert all(part in page for part in pair.answer.split(LEFT_OUT))


def test_verdict_probabilities_and_justification(checked: CheckedClaim) -> None:
    prediction = checked.prediction
    assert prediction.probabilities is not None
    assert set(prediction.probabilities) == set(VERDICTS)
    assert sum(prediction.probabilities.values()) == pytest.approx(1, abs=1e-4)
    assert prediction.justification == checked.explained.explanation
    cited = {number for numbers in checked.explained.cites for number in numbers}
    assert cited
    assert cited <= set(range(1, 6))
    assert checked.findings == []


def test_every_page_is_reported_and_is_in_the_result(
    checked: CheckedClaim, events: list[ProgressEvent], sample: Path
) -> None:
    urls = urls_of(sample, 4)
    assert [log.url for log in checked.pages] == list(urls)
    pages = [one for one in events if one.stage is Stage.PAGES and one.total]
    assert [(one.done, one.total) for one in pages] == [(number, len(urls)) for number in range(1, len(urls) + 1)]
    assert {one.text.split(": ")[0] for one in pages} == set(urls)


def test_stages_are_reported_in_order_and_timed(checked: CheckedClaim, events: list[ProgressEvent]) -> None:
    begun = [one.stage for one in events if not one.done and not one.text and one.stage is not Stage.MODELS]
    assert begun == STAGES[Strategy.QUESTIONS]
    assert {*checked.seconds} - {Stage.MODELS} == {*STAGES[Strategy.QUESTIONS], "total"}
    written = [(one.done, one.total) for one in events if one.stage is Stage.QUESTIONS and one.total]
    assert written[-1] == (5, 5)
    assert written == sorted(written)


@pytest.mark.parametrize("limit", [0.0, NEVER])
def test_each_piece_of_a_claim_that_is_not_undecided_is_left_out_alone(
    limit: float, sample: Path, claims: list[Claim], models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {verdict: Limits(limit, limit) for verdict in VERDICTS}
    monkeypatch.setattr(models.verdict, "levels", Levels(limits, least=0.0, alpha=0.1, claims=10))
    stored = Sources(knowledge_store=sample / "knowledge_store" / "4.json")
    result = check_claim(asked_of(claims[4], stored), models=models)
    if limit == NEVER:
        assert (result.prediction.level, result.decisive) == (Level.UNDECIDED, Decisive())
        return
    alone, smallest, verdict = result.decisive.alone, result.decisive.smallest, result.prediction.pred_label
    assert result.prediction.level is Level.FIRM
    assert [one.evidence_ids for one in alone] == [(1,), (2,), (3,), (4,), (5,)]
    assert all(one.probability is not None and 0 <= one.probability <= 1 for one in alone)
    assert all(one.level is Level.FIRM for one in alone)
    assert (smallest is not None and len(smallest.evidence_ids) == 1) is any(one.turns(verdict) for one in alone)
    assert smallest is None or smallest.turns(verdict)


def test_a_program_finds_the_promise(sample: Path, claims: list[Claim], models: Models) -> None:
    events: list[ProgressEvent] = []
    stored = Sources(knowledge_store=sample / "knowledge_store" / "4.json")
    result = check_claim(asked_of(claims[4], stored, Strategy.PROGRAMS), models=models, tell=events.append)
    assert result.prediction.pred_label is Verdict.SUPPORTED
    assert result.prediction.probabilities is None
    assert result.trace is not None
    assert result.trace.programs[0].steps[0].evidence
    assert result.decisive == Decisive()
    assert len(result.stances) == len(result.prediction.evidence)
    assert result.stances[0].force > 0
    begun = [one.stage for one in events if not one.text and one.stage is not Stage.MODELS]
    assert begun == STAGES[Strategy.PROGRAMS]
    assert result.notes == [CAUTION, NO_DATES.format("4.json")]


@pytest.mark.parametrize(
    ("url", "date", "why"),
    [
        ("https://nowhere.example/eels", "", r"1 of 1: .*404"),
        ("courier", "1-2-2016", r"1 of 1: dated 2016-05-20, after the claim \(2016-02-01\)"),
    ],
)
def test_where_no_page_can_be_read_there_is_no_verdict(
    url: str, date: str, why: str, sample: Path, claims: list[Claim], models: Models
) -> None:
    urls = tuple(one for one in urls_of(sample, 4) if url in one) or (url,)
    request = CheckRequest(claims[4].claim, Sources(urls=urls), date)
    with archive(sample) as address, pytest.raises(StoreError, match=f"no page could be read.*{why}"):
        check_claim(request, models=models, scraping=Scraping(via=address, allow_private=True))


def test_where_a_search_finds_nothing_there_is_no_verdict(tmp_path: Path, models: Models) -> None:
    (tmp_path / "urls.txt").write_text("")
    with pytest.raises((StoreError, InputError)):
        check_claim(CheckRequest("Eels swim.", Sources(search=f"file:{tmp_path / 'urls.txt'}")), models=models)


def test_a_store_may_be_a_list(tmp_path: Path, sample: Path, claims: list[Claim], models: Models) -> None:
    documents = read_records(sample / "knowledge_store" / "4.json", Document)
    for name, data in (("list", encode_list(documents)), ("line", msgspec.json.encode(documents))):
        (tmp_path / f"{name}.json").write_bytes(data)
        result = check_claim(
            asked_of(claims[4], Sources(knowledge_store=tmp_path / f"{name}.json"), Strategy.PROGRAMS), models=models
        )
        assert [log.sentences for log in result.pages] == [len(page.url2text) for page in documents]


def test_a_hostile_page_is_text_on_the_page_of_its_claim(models: Models) -> None:
    with hostile() as url:
        request = CheckRequest("Eels swim to the Sargasso Sea.", Sources(urls=(url,)))
        result = check_claim(request, models=models, scraping=Scraping(allow_private=True))
    assert any("<img src=x onerror=" in pair.answer for pair in result.prediction.evidence)
    page = document_fromstring(claim_page(view_of_check(result)))
    assert [one.text for one in page.xpath("//script")] == [(TEMPLATES / SCRIPT).read_text()]
    assert page.xpath("//img | //iframe | //base | //meta[@http-equiv='refresh']") == []
    assert not [name for one in page.iter() for name in one.attrib if name.startswith("on")]
    assert {one.partition(":")[0] for one in page.xpath("//a/@href") if not one.startswith("#")} == {"http", "https"}
    assert msgspec.json.decode(msgspec.json.encode(result), type=CheckedClaim) == result


def test_a_given_store_is_filtered_by_both_strategies(tmp_path: Path, models: Models) -> None:
    (tmp_path / "7.json").write_text(
        '{"url": "https://a.example/", "url2text": ["Eels swim to the Sargasso Sea."]}\n'
        '{"url": "https://b.example/", "url2text": ["Eels never swim to the Sargasso Sea."]}\n'
    )
    (tmp_path / "7.log.jsonl").write_text(
        '{"row": 0, "url": "https://a.example/", "sentences": 1, "date": "2019-05-01"}\n'
        '{"row": 1, "url": "https://b.example/", "sentences": 1, "date": "2021-05-01"}\n'
    )
    for strategy in (Strategy.QUESTIONS, Strategy.PROGRAMS):
        request = CheckRequest(
            "Eels swim to the Sargasso Sea.",
            Sources(knowledge_store=tmp_path / "7.json"),
            "1-1-2020",
            strategy=strategy,
        )
        result = check_claim(request, models=models)
        assert [bool(log.reason) for log in result.pages] == [False, True]
        assert {pair.url for pair in result.prediction.evidence} == {"https://a.example/"}
        assert result.notes == [CAUTION]


@pytest.mark.parametrize("at", [Stage.PAGES, Stage.QUESTIONS])
def test_a_check_that_is_cancelled_ends_and_leaves_nothing(
    at: Stage, sample: Path, claims: list[Claim], models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    events: list[ProgressEvent] = []
    with archive(sample, seconds=0.5) as address, pytest.raises(Cancelled):
        check_claim(
            asked_of(claims[4], Sources(urls=urls_of(sample, 4))),
            models=models,
            scraping=Scraping(via=address, allow_private=True),
            tell=events.append,
            is_cancelled=lambda: any(one.stage is at and one.done for one in events),
        )
    assert events[-1].stage is at  # no later stage was begun
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", ["byte-by-byte", "headers-byte-by-byte"])
def test_a_search_server_that_drips_does_not_hold_a_check_that_is_cancelled(
    fault: str, claims: list[Claim], models: Models
) -> None:
    with FaultServer() as server:
        server.others = FAULTS[fault]
        request = asked_of(claims[4], Sources(search=f"searxng@{server.url('')}"))
        with pytest.raises(Cancelled):
            check_claim(request, models=models, is_cancelled=lambda: bool(server.requests))


def test_urls_of_a_search_are_checked(sample: Path, claims: list[Claim], models: Models, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("".join(f"{url}\n" for url in urls_of(sample, 4)[:2]))
    with archive(sample) as address:
        how = Scraping(via=address, allow_private=True)
        request = asked_of(claims[4], Sources(search=f"file:{tmp_path / 'urls.txt'}"), Strategy.PROGRAMS)
        result = check_claim(request, models=models, scraping=how)
    assert [log.url for log in result.pages] == list(urls_of(sample, 4)[:2])
    assert Stage.SEARCH in result.seconds


def test_of_a_search_no_more_is_read_than_wanted(
    sample: Path, claims: list[Claim], models: Models, tmp_path: Path
) -> None:
    (tmp_path / "urls.txt").write_text("".join(f"{url}\n" for url in urls_of(sample, 4)[:3]))
    request = asked_of(claims[4], Sources(search=f"file:{tmp_path / 'urls.txt'}"), Strategy.PROGRAMS)
    with archive(sample) as address:
        how = Scraping(via=address, allow_private=True, most_urls=1)
        result = check_claim(request, models=models, scraping=how)
    assert [log.url for log in result.pages] == list(urls_of(sample, 4)[:1])
    assert "of 3 URLs that the search found, the first 1 are read" in result.notes


def test_a_search_that_is_not_wanted_any_more_asks_nothing(
    claims: list[Claim], models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "urls.txt").write_text("https://a.example/\n")
    queries: list[SearchQuery] = []
    monkeypatch.setattr(UrlFile, "search", lambda _, query: queries.append(query))
    events: list[ProgressEvent] = []
    with pytest.raises(Cancelled):
        check_claim(
            asked_of(claims[4], Sources(search=f"file:{tmp_path / 'urls.txt'}")),
            models=models,
            tell=events.append,
            is_cancelled=lambda: bool(events),
        )
    assert (queries, [one.stage for one in events]) == ([], [Stage.SEARCH])


def test_bad_input_loads_no_model(claims: list[Claim]) -> None:
    models = Models()
    with pytest.raises(InputError):
        check_claim(CheckRequest(claims[4].claim, Sources()), models=models)
    assert models.names(Strategy.QUESTIONS) == {}


def test_own_documents_are_read_beside_pages_and_keep_their_short_lines(
    sample: Path, claims: list[Claim], models: Models
) -> None:
    page = urls_of(sample, 4)[0]
    own = (OwnDocument("text:1", b"Eels swim far.\n\nThey spawn there."), OwnDocument("file:none.txt", b""))
    request = asked_of(claims[4], Sources(urls=(page,), documents=own), Strategy.PROGRAMS)
    with archive(sample) as address:
        result = check_claim(request, models=models, scraping=Scraping(via=address, allow_private=True))
    assert [(log.url, log.reason) for log in result.pages] == [
        ("text:1", ""),
        ("file:none.txt", "empty page"),
        (page, ""),
    ]
    assert result.pages[0].sentences == 2


def test_a_claim_in_another_language_is_refused_before_pages_are_read(models: Models) -> None:
    events: list[ProgressEvent] = []
    own = Sources(documents=(OwnDocument("text:1", b"Aale schwimmen weit."),))
    with pytest.raises(InputError, match="the claim seems to be in German, and these models read English: translate"):
        check_claim(CheckRequest("Aale schwimmen in die Sargassosee.", own), models=models, tell=events.append)
    assert events == []


def test_pages_in_other_languages_are_counted_in_a_note(models: Models) -> None:
    german = "Das Wasser der Bucht wurde rot, weil eine Fabrik undicht war.\n\nDie Behörde warnt vor dem Baden."
    texts = (b"Eels swim far, and spawn in the Sargasso Sea.", german.encode(), b"")
    own = Sources(documents=tuple(OwnDocument(f"text:{number}", text) for number, text in enumerate(texts, start=1)))
    request = CheckRequest("Eels swim to the Sargasso Sea.", own, strategy=Strategy.PROGRAMS)
    result = check_claim(request, models=models)
    assert "1 of 2 pages is not in English (German): the models read English only" in result.notes
    assert [log.reason for log in result.pages] == ["", "", "empty page"]
