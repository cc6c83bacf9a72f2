"""Scripted checks, and a client that asks for them."""

import re
import threading
import time
from datetime import UTC, datetime
from typing import Any

from starlette.testclient import TestClient

from src.check.records import CheckedClaim, CheckRequest, Decisive, ProgressEvent, Stage, VerdictWithout
from src.check.run_context import Tell
from src.errors import Cancelled, ModelError
from src.explanation.records import ExplainedClaim
from src.records import ChosenSentence, Claim, Level, Prediction, QAPair, Verdict
from src.report.server.check_service import IsCancelled
from src.retrieval.scraping.page_log import PageLog
from tests.serving.served import wait_until

HOSTILE = "</script><script>window.ran = 1; console.log(1)</script><img src=x onerror='window.ran = 1'> {{ 7 * 7 }}"
SLOW, FAILS, BREAKS, HURTS, HELD = "Slow", "Fails", "Breaks", "Hurts", "Held"
PARTS = 3
HOSTS = ["127.0.0.1", "localhost"]
HOME = "http://127.0.0.1:8020"
URL = "https://eels.example/"
OVER = ("done", "failed", "cancelled", "stopped")


def ask(client: TestClient, claim: str = "Eels swim.", **changed: Any) -> str:
    """Ask for a check and return its id."""
    answer = client.post("/api/check", json={"claim": claim, "urls": [URL]} | changed)
    assert answer.status_code == 202, answer.text
    check_id: str = answer.json()["id"]
    return check_id


def when(client: TestClient, check_id: str, *statuses: str) -> dict[str, Any]:
    """Return the answer as soon as the check has one of these statuses."""
    return wait_until(lambda: client.get(f"/api/check/{check_id}").json(), lambda state: state["status"] in statuses)


def over(client: TestClient, check_id: str) -> dict[str, Any]:
    return when(client, check_id, *OVER)


def token(client: TestClient) -> str:
    match = re.search(r'name="token" value="([\w-]+)"', client.get("/").text)
    assert match is not None
    return match[1]


def form(client: TestClient, **changed: str) -> dict[str, str]:
    filled = {"claim": "Eels swim.", "urls": f"{URL}\r\n\r\n{URL}2 ", "search": "", "date": "", "speaker": "Nils"}
    return {"token": token(client), "strategy": "programs", "top_n": "4"} | filled | changed


class Scripted:
    """Slow: until it is cancelled. Held: until `release`, whatever happens. Fails, Breaks: raise. Hurts: markup.

    Any other claim is checked at once.
    """

    def __init__(self) -> None:
        self.requests: list[CheckRequest] = []
        self.ended: list[str] = []
        self.release = threading.Event()

    def __call__(self, request: CheckRequest, /, tell: Tell, is_cancelled: IsCancelled) -> CheckedClaim:
        self.requests.append(request)
        tell(ProgressEvent(Stage.PAGES))
        for number in range(1, PARTS + 1):
            tell(ProgressEvent(Stage.PAGES, number, PARTS, f"https://eels.example/{number}"))
        try:
            self._play(request.claim.split()[0], is_cancelled)
        finally:
            self.ended.append(request.claim)
        tell(ProgressEvent(Stage.VERDICT))
        return checked(request)

    def _play(self, word: str, is_cancelled: IsCancelled) -> None:
        if word == FAILS:
            raise ModelError("the model\nsaid nothing")
        if word == BREAKS:
            raise ZeroDivisionError
        if word == HELD:
            self.release.wait(600)
        while word == SLOW:
            time.sleep(0.01)
            if is_cancelled():
                raise Cancelled("the check was cancelled")


def checked(request: CheckRequest) -> CheckedClaim:
    """A result with evidence of each URL, and with markup wherever a web page may put some."""
    hurts = f" {HOSTILE}" if request.claim.startswith(HURTS) else ""
    urls = [*request.sources.urls, *(["javascript:window.ran=1", "data:text/html,<script>1</script>"] if hurts else [])]
    pairs = [QAPair(f"Do eels swim?{hurts}", f"Eels swim.{hurts}", url) for url in urls]
    claim = Claim(
        f"{request.claim}{hurts}", 0, claim_date=request.date or None, speaker=f"{request.speaker}{hurts}" or None
    )
    probabilities = dict.fromkeys(Verdict, 0.25)
    why = f"Eels swim, as page 1 says.{hurts}"
    possible = [Verdict.SUPPORTED, Verdict.REFUTED]
    prediction = Prediction(0, claim.claim, pairs, Verdict.SUPPORTED, probabilities, why, Level.FIRM, possible)
    return CheckedClaim(
        claim=claim,
        strategy=request.strategy,
        checked_at=datetime(2026, 2, 1, 12, 30, tzinfo=UTC),
        prediction=prediction,
        explained=ExplainedClaim(0, claim.claim, Verdict.SUPPORTED, pairs, explanation=why, cites=[[1]]),
        decisive=Decisive((VerdictWithout((1,), Verdict.REFUTED, 0.5),), VerdictWithout((1,), Verdict.REFUTED, 0.5)),
        sentences=[ChosenSentence(pair.answer, pair.url) for pair in pairs],
        pages=[PageLog(row=n, url=url, reason=hurts, sentences=0 if hurts else 1) for n, url in enumerate(urls)],
        seconds={"pages": 1.5, "total": 2.5},
        models={"verdict": f"tiny{hurts}"},
        notes=[f"a note{hurts}"],
    )
