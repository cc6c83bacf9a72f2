"""The tools through the client of the protocol's SDK, with scripted checks."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client

from src.check.evidence import FoundEvidence
from src.check.records import CheckRequest, OwnDocument, ProgressEvent, Sources, Stage
from src.check.run_context import Tell
from src.errors import Cancelled, StoreError
from src.records import Sentence
from src.report.agents.tools import tools_server
from src.report.server.check_service import CheckService
from src.report.server.history import History
from src.report.server.records import Limits, Status
from src.retrieval.providers import FactCheck
from src.retrieval.scraping.page_log import PageLog
from tests.report.server.scripted import FAILS, HELD, SLOW, Scripted

URL = "https://eels.example/1"
Answer = dict[str, Any]


class Finder:
    """Finds a passage; of a claim that begins with Slow, nothing until it is cancelled."""

    def __init__(self) -> None:
        self.requests: list[CheckRequest] = []
        self.cancelled = threading.Event()

    def __call__(self, request: CheckRequest, /, *, tell: Tell, is_cancelled: Callable[[], bool]) -> FoundEvidence:
        self.requests.append(request)
        tell(ProgressEvent(Stage.PAGES, 1, 2, URL))
        if request.claim.startswith(FAILS):
            raise StoreError("no page could be read")
        while request.claim.startswith(SLOW):
            time.sleep(0.01)
            if is_cancelled():
                self.cancelled.set()
                raise Cancelled("the search was cancelled")
        logs = [PageLog(row=0, url=URL, sentences=1, date="2020-01-30"), PageLog(row=1, url=f"{URL}2", reason="404")]
        others = [FactCheck("https://desk.example/1", "Untrue", "The Desk")]
        return FoundEvidence([Sentence("Eels swim.", URL)], logs, others, ["a note"])


@pytest.fixture
def finder() -> Finder:
    return Finder()


@pytest.fixture
def checks() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.release.set()


@pytest.fixture
def service(checks: Scripted, tmp_path: Path) -> Iterator[CheckService]:
    with History(tmp_path / "checks", 10) as history:
        made = CheckService(checks, history, Limits(waiting=1, urls=2), ["wikipedia,gdelt", "brave"])
        made.start()
        yield made
        made.stop()
        checks.release.set()
        made.join(10)


Told = list[tuple[float, str | None]]


@pytest.fixture
def session(service: CheckService, finder: Finder) -> Callable[[Callable[[Client], Coroutine[Any, Any, None]]], None]:
    """Runs a function with a client that is connected to the tools."""

    def run(work: Callable[[Client], Coroutine[Any, Any, None]]) -> None:
        async def connected() -> None:
            async with Client(tools_server(service, finder)) as client:
                await work(client)

        asyncio.run(connected())

    return run


Session = Callable[[Callable[[Client], Coroutine[Any, Any, None]]], None]


def test_each_tool_has_a_schema_of_what_it_takes_and_gives(session: Session) -> None:
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == {"check_claim", "find_evidence", "explain"}
        for tool in tools.values():
            assert tool.description
            assert tool.output_schema
            assert tool.annotations
            assert tool.annotations.read_only_hint
            assert tool.input_schema["additionalProperties"] is False
            assert all("description" in field for field in tool.input_schema["properties"].values())
        assert tools["check_claim"].input_schema["required"] == ["claim"]
        assert tools["explain"].input_schema["required"] == ["check_id"]

    session(work)


def test_a_claim_is_checked_with_progress_and_explained(session: Session, checks: Scripted) -> None:
    async def work(client: Client) -> None:
        told: Told = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, message))

        sent = {"claim": "Eels swim.", "urls": [URL], "date": "2020-02-01", "speaker": "Nils"}
        answer = await client.call_tool("check_claim", sent, progress_callback=note)
        made: Answer = answer.structured_content or {}
        assert (made["verdict"], made["level"], made["headline"]) == ("Supported", "firm", "Supported (firm)")
        assert made["justification"] == "Eels swim, as page 1 says. [1]"
        assert [one["url"] for one in made["evidence"]] == [URL]
        assert [value for value, _ in told] == list(range(1, len(told) + 1))
        explained: Answer = (await client.call_tool("explain", {"check_id": made["check_id"]})).structured_content or {}
        assert explained["change"].startswith("Without [1]")
        assert "Eels swim, as page 1 says. [1]" in explained["text"]

    session(work)
    (request,) = checks.requests
    assert (request.sources.urls, request.date, request.speaker) == ((URL,), "01-02-2020", "Nils")


@pytest.mark.parametrize(
    ("sent", "sources"),
    [
        ({}, Sources(search="wikipedia,gdelt")),
        ({"search": "brave"}, Sources(search="brave")),
        ({"text": "Eels swim."}, Sources(documents=(OwnDocument("text:1", b"Eels swim."),))),
        ({"text": "x", "urls": [URL]}, Sources(urls=(URL,), documents=(OwnDocument("text:1", b"x"),))),
    ],
)
def test_sources_of_a_check(
    sent: Answer, sources: Sources, session: Session, checks: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "x")
    monkeypatch.delenv("FACT_CHECK_API_KEY", raising=False)

    async def work(client: Client) -> None:
        await client.call_tool("check_claim", {"claim": "Eels swim."} | sent)

    session(work)
    assert [request.sources for request in checks.requests] == [sources]


@pytest.mark.parametrize("tool", ["check_claim", "find_evidence"])
@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"claim": " ", "urls": [URL]}, "field claim: is empty"),
        ({"urls": ["file:///etc/passwd"]}, "is no http or https address"),
        ({"urls": [URL, f"{URL}2", f"{URL}3"]}, "3 URLs; give 1 to 2"),
        ({"search": "searxng@http://127.0.0.1"}, "is no search provider here"),
        ({"search": "file:/etc/passwd"}, "is no search provider here"),
        ({"date": "yesterday"}, "field date: is no date such as 2024-01-30"),
        ({"claim": "x" * 4001}, "field claim: must have at most 4000 characters"),
        ({"text": "x" * 30_001}, "field text: must have at most 30000 characters"),
    ],
)
def test_the_limits_are_those_of_the_served_page(
    tool: str, sent: Answer, message: str, session: Session, checks: Scripted, finder: Finder
) -> None:
    async def work(client: Client) -> None:
        answer = await client.call_tool(tool, {"claim": "Eels swim."} | sent)
        assert answer.is_error
        assert message in answer.content[0].text  # type: ignore[union-attr]

    session(work)
    assert (checks.requests, finder.requests) == ([], [])


@pytest.mark.parametrize(
    ("tool", "sent", "message"),
    [
        (
            "check_claim",
            {"claim": "Eels swim.", "dat": "2020-02-01", "x": 1},
            "check_claim does not take 'dat', 'x'; it takes: claim, urls, text, search, date, speaker, strategy",
        ),
        (
            "find_evidence",
            {"claim": "Eels swim.", "strategy": "programs"},
            "find_evidence does not take 'strategy'; it",
        ),
        ("explain", {"check_id": "0" * 32, "id": "0"}, "explain does not take 'id'; it takes: check_id"),
        ("explain", {"check_id": "0" * 32, "ctx": {}}, "explain does not take 'ctx'"),
        ("check_claim", {"claim": "asdf", "urls": [URL]}, "the claim has fewer than two words; a claim is a sentence"),
    ],
)
def test_unknown_arguments_are_refused_with_the_names_of_the_known(
    tool: str, sent: Answer, message: str, session: Session, checks: Scripted, finder: Finder
) -> None:
    async def work(client: Client) -> None:
        answer = await client.call_tool(tool, sent)
        assert answer.is_error
        assert message in answer.content[0].text  # type: ignore[union-attr]

    session(work)
    assert (checks.requests, finder.requests) == ([], [])


def test_a_check_that_fails_and_one_that_nobody_knows_are_errors_in_words(session: Session) -> None:
    async def work(client: Client) -> None:
        answer = await client.call_tool("check_claim", {"claim": f"{FAILS} eels.", "urls": [URL]})
        assert answer.is_error
        assert "the model said nothing" in answer.content[0].text  # type: ignore[union-attr]
        unknown = await client.call_tool("explain", {"check_id": "0" * 32})
        assert unknown.is_error
        assert "there is no such check" in unknown.content[0].text  # type: ignore[union-attr]
        failed = await client.call_tool("find_evidence", {"claim": f"{FAILS} eels.", "urls": [URL]})
        assert "no page could be read" in failed.content[0].text  # type: ignore[union-attr]

    session(work)


async def cancelled_call(client: Client, tool: str, begun: Callable[[], object]) -> None:
    """Call a tool with a slow claim, and cancel the call as soon as it has begun."""
    call = asyncio.create_task(client.call_tool(tool, {"claim": f"{SLOW} eels.", "urls": [URL]}))
    await becomes(lambda: bool(begun()))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


async def becomes(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not what():
            await asyncio.sleep(0.01)


def test_a_call_that_is_cancelled_cancels_its_check(
    session: Session, checks: Scripted, service: CheckService, finder: Finder
) -> None:
    async def work(client: Client) -> None:
        await cancelled_call(client, "check_claim", lambda: checks.requests)
        await becomes(lambda: [one.status for one in service.listing().checks] == [Status.CANCELLED])
        await cancelled_call(client, "find_evidence", lambda: finder.requests)
        await becomes(finder.cancelled.is_set)
        found: Answer = (
            await client.call_tool("find_evidence", {"claim": "Eels swim.", "urls": [URL]})
        ).structured_content or {}
        assert found == {
            "passages": [{"text": "Eels swim.", "url": URL, "date": "2020-01-30"}],
            "unread": {f"{URL}2": "404"},
            "fact_checks": [{"rating": "Untrue", "publisher": "The Desk", "url": "https://desk.example/1", "claim": "",
                             "date": ""}],
            "notes": ["a note"],
        }  # fmt: skip

    session(work)


def test_a_full_queue_refuses(session: Session, checks: Scripted, service: CheckService) -> None:
    async def work(client: Client) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(2):
                sent = {"claim": f"{HELD} eels {number}.", "urls": [URL]}
                group.create_task(client.call_tool("check_claim", sent))
                await becomes(lambda number=number: len(service.listing().checks) == number + 1)  # type: ignore[misc]
                await becomes(lambda: bool(checks.requests))
            answer = await client.call_tool("check_claim", {"claim": "Eels swim.", "urls": [URL]})
            assert answer.is_error
            assert "1 checks are waiting already" in answer.content[0].text  # type: ignore[union-attr]
            checks.release.set()

    session(work)


def test_a_search_waits_for_the_check_that_uses_the_models(session: Session, checks: Scripted, finder: Finder) -> None:
    async def work(client: Client) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(client.call_tool("check_claim", {"claim": f"{HELD} eels.", "urls": [URL]}))
            await becomes(lambda: bool(checks.requests))
            found = group.create_task(client.call_tool("find_evidence", {"claim": "Eels swim.", "urls": [URL]}))
            await asyncio.sleep(0.5)
            assert finder.requests == []
            checks.release.set()
            assert not (await found).is_error

    session(work)


def test_the_number_of_passages_is_asked_for(session: Session, finder: Finder) -> None:
    async def work(client: Client) -> None:
        await client.call_tool("find_evidence", {"claim": "Eels swim.", "urls": [URL], "passages": 3})
        wrong = await client.call_tool("find_evidence", {"claim": "Eels swim.", "urls": [URL], "passages": 51})
        assert wrong.is_error

    session(work)
    assert [request.top_k for request in finder.requests] == [3]
