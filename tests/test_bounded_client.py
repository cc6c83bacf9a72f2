"""The HTTP client limits time and size of an answer, whatever the server does."""

import asyncio
import tracemalloc
from collections.abc import Iterator

import httpx2
import pytest

from src.bounded_client import BoundedClient, TooLargeError
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import HTML, MEGABYTE, answer, bomb, stream

PATIENT = 60.0  # seconds: what ends sooner did not end by the time


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        running.answer("leads", answer(b"", status="302 Found", Location="/good"))
        head = answer(b"", length=-1, status="302 Found", Location="/good", Connection="close")
        running.answer("leads-after-much", stream(head, MEGABYTE))
        running.answer("leads-slowly", stream(head, b"x", pause=0.05))
        yield running


def get(url: str, seconds: float = PATIENT, most_bytes: int = 1_000_000) -> httpx2.Response:
    async def request() -> httpx2.Response:
        async with BoundedClient(seconds, most_bytes, follow_redirects=True) as client:
            return await client.get(url)

    return asyncio.run(request())


@pytest.mark.parametrize("name", ["good", "chunked", "gzip", "leads", "until-closed"])
def test_what_is_whole_comes_whole(name: str, server: FaultServer) -> None:
    assert get(server.url(name)).content == (b"hello world" if name == "chunked" else HTML)


@pytest.mark.parametrize(
    "name", ["byte-by-byte", "headers-byte-by-byte", "hang-before-headers", "hang-mid-body", "leads-slowly"]
)
def test_the_time_is_for_all_together(name: str, server: FaultServer) -> None:
    with pytest.raises(httpx2.ReadTimeout):
        get(server.url(name), seconds=0.5)


@pytest.mark.parametrize("name", ["endless", "endless-chunks", "200-megabytes", "bomb-gzip", "leads-after-much"])
def test_no_more_than_the_limit_is_read(name: str, server: FaultServer) -> None:
    bomb("gzip")  # made before memory is measured
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError, match="more than 1,000,000 bytes"):
            get(server.url(name))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 30_000_000


def test_an_answer_of_the_limit_is_read(server: FaultServer) -> None:
    for size in (len(HTML), len(HTML) - 1):
        for name in ("good", "gzip"):
            if size == len(HTML):
                assert get(server.url(name), most_bytes=size).content == HTML
            else:
                with pytest.raises(TooLargeError):
                    get(server.url(name), most_bytes=size)


@pytest.mark.parametrize("name", ["br", "deflate", "br-in-gzip", "zstd", "bomb-br", "not-gzip"])
def test_other_encodings_and_damaged_gzip_are_refused(name: str, server: FaultServer) -> None:
    with pytest.raises(httpx2.DecodingError):
        get(server.url(name))


@pytest.mark.parametrize("name", ["short-body", "torn-chunk", "reset-mid-body", "close", "garbage"])
def test_a_connection_that_breaks_is_the_clients_own_error(name: str, server: FaultServer) -> None:
    with pytest.raises(httpx2.TransportError):
        get(server.url(name))


def test_what_is_streamed_is_bounded_too(server: FaultServer) -> None:
    sizes: list[int] = []

    async def read() -> None:
        async with BoundedClient(PATIENT, 5_000_000) as client, client.stream("GET", server.url("endless")) as response:
            async for piece in response.aiter_bytes():
                sizes.append(len(piece))

    with pytest.raises(TooLargeError):
        asyncio.run(read())
    assert 4_000_000 < sum(sizes) <= 5_000_000
