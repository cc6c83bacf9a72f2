"""The step as a process: over standard input and output, and over HTTP, with the real small models."""

import asyncio
import os
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.check.needed import need_models
from tests.serving.served import served

pytestmark = pytest.mark.long

CLAIM = {"claim": "Eels swim to the Sargasso Sea.", "text": "In autumn, eels swim to the Sargasso Sea to spawn."}


async def check_and_explain(client: Client) -> None:
    answer = await client.call_tool("check_claim", CLAIM)
    made = answer.structured_content or {}
    assert made["evidence"][0]["url"] == "text:1"
    assert made["headline"]
    explained = (await client.call_tool("explain", {"check_id": made["check_id"]})).structured_content or {}
    assert explained["justification"] == made["justification"]
    found = (await client.call_tool("find_evidence", CLAIM)).structured_content or {}
    assert [one["text"] for one in found["passages"]] == [CLAIM["text"]]
    private = await client.call_tool("find_evidence", {"claim": CLAIM["claim"], "urls": ["http://127.0.0.1:9/"]})
    assert private.is_error
    assert "address refused" in private.content[0].text  # type: ignore[union-attr]


def test_standard_input_and_output(project_root: Path, tmp_path: Path) -> None:
    need_models(project_root)
    flags = ["-m", "src.serving.mcp", "--samples", "0", "--history", str(tmp_path / "checks")]
    server = StdioServerParameters(command=str(project_root / ".venv/bin/python"), args=flags, cwd=project_root)

    async def work() -> None:
        async with Client(stdio_client(server)) as client:
            await check_and_explain(client)

    asyncio.run(work())


def test_http(project_root: Path, tmp_path: Path) -> None:
    need_models(project_root)
    flags = ("--transport", "http", "--port", "0", "--samples", "0", "--history", str(tmp_path / "checks"))
    with served(project_root, "src.serving.mcp", *flags, environment=dict(os.environ)) as (url, _):
        assert url.endswith("/mcp")

        async def work() -> None:
            async with Client(streamable_http_client(url)) as client:
                await check_and_explain(client)

        asyncio.run(work())
        for headers, status in (({"Host": "evil.example"}, 400), ({"Origin": "https://evil.example"}, 403)):
            answer = httpx2.post(url, json={}, headers=headers | {"Accept": "application/json, text/event-stream"})
            assert (answer.status_code, answer.headers["x-content-type-options"]) == (status, "nosniff")
