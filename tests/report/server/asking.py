"""Asks a server for checks, by its API or its form, and waits until they are where they are to be."""

import re
import time
from typing import Any

from starlette.testclient import TestClient

HOSTS = ["127.0.0.1", "localhost"]
HOME = "http://127.0.0.1:8020"
URL = "https://eels.example/"
OVER = ("done", "failed", "cancelled", "stopped")
PATIENCE = 30.0  # seconds until a test gives up


def ask(client: TestClient, claim: str = "Eels swim.", **changed: Any) -> str:
    """The id."""
    answer = client.post("/api/check", json={"claim": claim, "urls": [URL]} | changed)
    assert answer.status_code == 202, answer.text
    found: str = answer.json()["id"]
    return found


def when(client: TestClient, check_id: str, *statuses: str) -> dict[str, Any]:
    """The answer as soon as the check has one of these statuses."""
    until = time.monotonic() + PATIENCE
    while (answer := client.get(f"/api/check/{check_id}").json())["status"] not in statuses:
        assert time.monotonic() < until, answer
        time.sleep(0.01)
    found: dict[str, Any] = answer
    return found


def over(client: TestClient, check_id: str) -> dict[str, Any]:
    return when(client, check_id, *OVER)


def token(client: TestClient) -> str:
    found = re.search(r'name="token" value="([\w-]+)"', client.get("/").text)
    assert found is not None
    return found[1]


def form(client: TestClient, **changed: str) -> dict[str, str]:
    filled = {"claim": "Eels swim.", "urls": f"{URL}\r\n\r\n{URL}2 ", "search": "", "date": "", "speaker": "Nils"}
    return {"token": token(client), "road": "programs", "top_n": "4"} | filled | changed
