"""The tools: check_claim, find_evidence and explain, with progress and cancellation.

Checks go through the queue, the limits and the history of the served page, and what may be asked for is validated in
the same way: no file of this machine, no private address, no other search engine.

Limitations: one check or search for evidence at a time, since they use the same models; searches have the queue and the
time limit of checks. Progress counts events, since the number of parts of a check is not known before.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Protocol

import msgspec
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult, Tool, ToolAnnotations
from pydantic import Field

from src.check.evidence import FoundEvidence
from src.check.records import CheckRequest, ProgressEvent, Strategy
from src.check.run_context import Tell
from src.errors import Cancelled, FactCheckError, ModelError
from src.report.agents.answers import (
    CheckAnswer,
    EvidenceAnswer,
    Explanation,
    check_answer,
    evidence_answer,
    explanation_of,
)
from src.report.server.check_service import CheckService
from src.report.server.records import State, Status
from src.report.server.submission import ClaimSubmission, request_of, submission_with
from src.retrieval.providers import KEYLESS

LOOK = 0.2  # seconds between two looks at the progress
MOST_PASSAGES = 50
INSTRUCTIONS = (
    "Checks real-world claims against web pages with small models that err. Read the level first: an undecided claim "
    "has no verdict. Always show people the sources."
)
CLOSED = {"additionalProperties": False}  # of a JSON schema
MOST_NAMES, LONGEST_NAME = 5, 40  # unknown arguments in a message, and characters of the name of each
READS = ToolAnnotations(read_only_hint=True, open_world_hint=True)

Claim = Annotated[str, Field(description="the claim, one sentence in English that can be read alone")]
Urls = Annotated[list[str], Field(description="pages to read; with none and no text, the web is searched")]
Text = Annotated[str, Field(description="text to read as evidence")]
Search = Annotated[str, Field(description="how to search, such as wikipedia,gdelt, which need no key")]
Day = Annotated[str, Field(description="day of the claim, YYYY-MM-DD; later pages are refused")]
Speaker = Annotated[str, Field(description="who said it; the speaker's own words are no evidence")]


class FindEvidence(Protocol):
    """Function that finds evidence for a request; a thread that calls it holds the lock of the models."""

    def __call__(self, request: CheckRequest, /, *, tell: Tell, is_cancelled: Callable[[], bool]) -> FoundEvidence: ...


def tools_server(service: CheckService, find: FindEvidence) -> MCPServer:
    """Return the server with its tools. `service` must have been started."""
    server = StrictServer("fact-check", instructions=INSTRUCTIONS, log_level="WARNING")
    tools = Tools(service, find)
    for tool in (tools.check_claim, tools.find_evidence, tools.explain):
        server.add_tool(tool, annotations=READS)
    return server


class StrictServer(MCPServer):
    """Server whose tools refuse arguments that they do not know; the SDK's own ignores them."""

    async def list_tools(self) -> list[Tool]:
        tools = await super().list_tools()
        return [tool.model_copy(update={"input_schema": tool.input_schema | CLOSED}) for tool in tools]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raises ToolError for an unknown argument, and as the SDK's server does."""
        for tool in await self.list_tools():
            known = tool.input_schema["properties"]
            if tool.name == name and (unknown := [one for one in arguments if one not in known]):
                names = ", ".join(repr(one[:LONGEST_NAME]) for one in unknown[:MOST_NAMES])
                raise ToolError(f"{name} does not take {names}; it takes: {', '.join(known)}")
        return await super().call_tool(name, arguments, context)


@dataclass
class Tools:
    """The tools. `service` checks claims, `find` finds evidence."""

    service: CheckService
    find: FindEvidence
    _searches: int = 0

    async def check_claim(
        self,
        claim: Claim,
        ctx: Context,
        urls: Urls = [],  # noqa: B006 - nothing changes it; the schema shows it
        text: Text = "",
        search: Search = "",
        date: Day = "",
        speaker: Speaker = "",
        strategy: Annotated[Strategy, Field(description="how the verdict is found")] = Strategy.QUESTIONS,
    ) -> CheckAnswer:
        """Check a claim: verdict with its level, justification, and the evidence with its sources. Takes seconds to a
        minute.
        """
        sent = self._submission(claim, urls, text, search, date, speaker, strategy)
        try:
            check = self.service.ask(sent)  # in a thread, a cancelled call would leave its check behind
        except FactCheckError as error:
            raise ToolError(str(error)) from None
        try:
            await self._follow(check.id, ctx)
        except BaseException:  # cancelled, or the client is gone
            self.service.cancel(check.id)
            raise
        answer = self.service.answer(check.id)
        if answer.status is not Status.DONE or answer.result is None:
            raise ToolError(answer.error or f"the check is {answer.status}")
        return check_answer(check.id, answer.result)

    async def find_evidence(
        self,
        claim: Claim,
        ctx: Context,
        urls: Urls = [],  # noqa: B006 - nothing changes it; the schema shows it
        text: Text = "",
        search: Search = "",
        date: Day = "",
        speaker: Speaker = "",
        passages: Annotated[int, Field(ge=1, le=MOST_PASSAGES, description="most passages")] = 10,
    ) -> EvidenceAnswer:
        """Find passages that bear on a claim, best first, with their pages; without a verdict."""
        sent = self._submission(claim, urls, text, search, date, speaker, Strategy.QUESTIONS)
        try:
            request = request_of(sent, self.service.providers, self.service.limits.urls)
        except FactCheckError as error:
            raise ToolError(str(error)) from None
        request = msgspec.structs.replace(request, top_k=passages)
        return evidence_answer(await self._found(request, ctx))

    async def explain(
        self, check_id: Annotated[str, Field(description="the check_id that check_claim gave")]
    ) -> Explanation:
        """Explain a check: why, how far to rely on it, what would change it, what its justification may get wrong."""
        try:
            answer = self.service.answer(check_id)
        except FactCheckError as error:
            raise ToolError(str(error)) from None
        if answer.result is None:
            raise ToolError(f"the check is {answer.status}, without a result")
        return explanation_of(answer.result)

    def _submission(
        self, claim: str, urls: Sequence[str], text: str, search: str, date: str, speaker: str, strategy: Strategy
    ) -> ClaimSubmission:
        """Return the submission of a call. Raises ToolError for a wrong field."""
        fields: dict[str, object] = {"claim": claim, "text": text, "speaker": speaker, "strategy": strategy}
        if urls:
            fields["urls"] = list(urls)
        if search or not (urls or text.strip()):
            fields["search"] = search or KEYLESS
        if date:
            fields["date"] = date
        try:
            return submission_with(fields)
        except FactCheckError as error:
            raise ToolError(str(error)) from None

    async def _follow(self, check_id: str, ctx: Context) -> None:
        """Report the progress of a check until it is over."""
        told, seen = 0, ""
        while not (state := self.service.state(check_id)).status.is_over:
            if (line := _line(state)) != seen:
                told, seen = told + 1, line
                await ctx.report_progress(told, None, line)
            await asyncio.sleep(LOOK)

    async def _found(self, request: CheckRequest, ctx: Context) -> FoundEvidence:
        """Run the search for evidence in a thread, report its progress, and cancel it with the call.

        Raises ToolError when too many are waiting, when it takes too long, and for its errors.
        """
        limits, began = self.service.limits, time.monotonic()
        if self._searches > limits.waiting:
            raise ToolError(f"{limits.waiting} searches are waiting already; try again later")
        cancelled, events = threading.Event(), list[ProgressEvent]()
        outcomes: list[FoundEvidence | BaseException] = []

        def run() -> None:
            try:
                while not self.service.models_lock.acquire(timeout=LOOK):
                    if cancelled.is_set():
                        raise Cancelled("the search was cancelled")
                try:
                    until = time.monotonic() + limits.seconds
                    is_over = partial(_is_over, cancelled, until)
                    outcomes.append(self.find(request, tell=events.append, is_cancelled=is_over))
                finally:
                    self.service.models_lock.release()
            except BaseException as error:  # raised again below
                outcomes.append(error)

        self._searches += 1
        threading.Thread(target=run, daemon=True).start()
        told = 0
        try:
            while not outcomes:
                if time.monotonic() - began > limits.seconds * (1 + limits.waiting):
                    raise ToolError("it takes too long; try again later")
                for event in events[told:]:
                    told += 1
                    await ctx.report_progress(
                        told, None, f"{event.stage}{_count(event.done, event.total)} {event.text}"
                    )
                await asyncio.sleep(LOOK)
        finally:
            cancelled.set()
            self._searches -= 1
        outcome = outcomes[0]
        if isinstance(outcome, FactCheckError):
            raise ToolError(str(outcome))
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


def _is_over(cancelled: threading.Event, until: float) -> bool:
    """Return True if a search was cancelled. Raises ModelError when its time is over."""
    if time.monotonic() > until:
        raise ModelError("the search took too long")
    return cancelled.is_set()


def _line(state: State) -> str:
    if state.status is Status.WAITING:
        return f"waiting, number {state.place} in the queue"
    if not state.stages:
        return "working"
    stage = state.stages[-1]
    return f"{stage.stage}{_count(stage.done, stage.total)} {stage.texts[-1] if stage.texts else ''}".strip()


def _count(done: int, total: int) -> str:
    return f" {done} of {total}" if total else ""
