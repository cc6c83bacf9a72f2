"""The scraper on a Ray cluster of three nodes on this machine, with servers on loopback."""

import asyncio
import json
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from src.errors import FatalError
from src.retrieval import scraper_for_knowledge_store as scraper
from src.retrieval.scraping.cluster_pages import ClusterPages, Read, cluster_pages, worker_of_pages
from src.retrieval.scraping.settings import NetworkSettings, PageSettings
from src.runner.fingerprint import InputFile
from src.settings import ClusterSettings
from tests.retrieval.scraping.small_web import write_tsv
from tests.runner.ray_nodes import RayNodes

pytestmark = pytest.mark.long
HOSTS = [f"127.0.1.{number}" for number in range(1, 7)]
PER_HOST = 1  # so that the page that asks for a pause is answered before the others of its host
STEP = "src.retrieval.scraper_for_knowledge_store"


class CountingServer(ThreadingHTTPServer):
    """Server of all addresses of loopback; counts the requests of each host, and how many of them ran at once.

    The path `/slow` takes longer, `/gone` is 404, `/wait` asks for a pause of 60 s.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("0.0.0.0", 0), _Handler)
        self.requests: Counter[str] = Counter()
        self.running: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    server: CountingServer

    def do_GET(self) -> None:
        host = self.headers["Host"].partition(":")[0]
        with self.server.lock:
            self.server.requests[host] += 1
            self.server.running[host] += 1
            self.server.most[host] = max(self.server.most[host], self.server.running[host])
        time.sleep(0.5 if self.path == "/slow" else 0.02)
        with self.server.lock:
            self.server.running[host] -= 1
        self.send_response({"/gone": 404, "/wait": 429}.get(self.path, 200))
        if self.path == "/wait":
            self.send_header("Retry-After", "60")
        sentence = f"The page {self.path} of the server {host} has one sentence that is long enough to be kept."
        body = f"<html><body><article><p>{sentence}</p></article></body></html>".encode()
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        with suppress(OSError):  # a worker was killed
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


def test_a_saved_page_that_is_not_on_the_node_ends_the_run(tmp_path: Path) -> None:
    async def read_missing() -> None:
        async with worker_of_pages(1, PageSettings(), NetworkSettings()) as answer:
            await answer(Read(tmp_path / "0" / "00.html", "http://page.example/", "text/html"))

    with pytest.raises(FatalError, match=r"00\.html: is not on node .*; --from_pages needs the folder of pages"):
        asyncio.run(read_missing())


def test_nodes_are_asked_for_the_folder_of_saved_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Mapping[str, InputFile]] = []

    def services(opened: object, cluster: object, inputs: Mapping[str, InputFile], name: str, *, quiet: bool) -> Any:
        compared.append(inputs)
        return nullcontext()

    async def open_pages(pages: PageSettings) -> None:
        async with cluster_pages(ClusterSettings(), pages, NetworkSettings(), quiet=True):
            pass

    monkeypatch.setattr("src.retrieval.scraping.cluster_pages.Services", services)
    asyncio.run(open_pages(PageSettings(from_pages=tmp_path)))
    asyncio.run(open_pages(PageSettings()))
    assert [[file.path for file in inputs.values()] for inputs in compared] == [[str(tmp_path)], []]


class OneWorker:
    """A stand-in for Services: one worker, which a test replaces."""

    answer: Callable[[Any], Awaitable[Any]]

    async def ask(self, key: str, question: Any) -> Any:
        return await self.answer(question)

    def status(self) -> str:
        return "1 worker"


def test_a_worker_obeys_the_pause_that_its_predecessor_was_asked_for(server: CountingServer, tmp_path: Path) -> None:
    host = f"http://{HOSTS[0]}:{server.server_port}"
    network = NetworkSettings(allow_private=True, attempts=1)

    async def fetch_with_two_workers() -> list[str]:
        worker, reasons = OneWorker(), []
        pages = ClusterPages(worker, keeps=False)
        for name in ("wait", "0"):
            async with worker_of_pages(1, PageSettings(), network) as worker.answer:
                reasons.append((await pages.fetch(f"{host}/{name}", tmp_path / name)).reason)
        return reasons

    reasons = asyncio.run(fetch_with_two_workers())
    assert reasons == ["HTTP 429, Retry-After 60 s", "not sent: HTTP 429, Retry-After 60 s"]
    assert server.requests.total() == 1


def test_progress_shows_workers_before_the_first_page(
    server: CountingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @asynccontextmanager
    async def on_one_worker(
        _: ClusterSettings, pages: PageSettings, network: NetworkSettings, *, quiet: bool
    ) -> AsyncIterator[ClusterPages]:
        worker = OneWorker()
        async with worker_of_pages(1, pages, network) as worker.answer:
            yield ClusterPages(worker, keeps=False)

    monkeypatch.setattr("src.retrieval.scraping.cluster_pages.cluster_pages", on_one_worker)
    monkeypatch.setattr("src.runner.console.LINE_EVERY", 0)
    monkeypatch.setattr("src.pipeline.collect.REFRESH", 0.05)
    write_tsv(tmp_path / "urls", 0, [f"http://{HOSTS[0]}:{server.server_port}/slow"])
    flags = ["-i", str(tmp_path / "urls"), "-o", str(tmp_path / "store"), "--allow_private", "--ray", "somewhere"]
    assert scraper.main(flags) == 0
    lines = re.findall("scraper: 0 of 1 URLs, . s, 0 without text, 1 worker\n", capsys.readouterr().out)
    assert len(lines) >= 3


@contextmanager
def serving() -> Iterator[CountingServer]:
    with CountingServer() as counting:
        thread = threading.Thread(target=counting.serve_forever)
        thread.start()
        yield counting
        counting.shutdown()
        thread.join()


@pytest.fixture
def server() -> Iterator[CountingServer]:
    with serving() as counting:
        yield counting


def command(urls: Path, store: Path, *flags: str) -> list[str]:
    common = ["--allow_private", "--per_host", str(PER_HOST), "--workers", "1", *flags]
    return [sys.executable, "-m", STEP, "-i", str(urls), "-o", str(store), *common]


def scraped(root: Path, urls: Path, store: Path, *flags: str) -> dict[str, bytes]:
    done = subprocess.run(
        command(urls, store, *flags), cwd=root, text=True, capture_output=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return {path.name: path.read_bytes() for path in store.glob("[0-9].json")}


def write_urls(folder: Path, port: int, *, pause: bool = True) -> int:
    """Write two claims with pages of all hosts. Return the number of URLs. `pause`: the last host asks for a pause."""
    pages = [f"http://{host}:{port}/{number}" for number in range(8) for host in HOSTS[:-1]]
    pages += [f"http://{HOSTS[0]}:{port}/gone", f"http://{HOSTS[1]}:{port}/slow"]
    if pause:
        pages += [f"http://{HOSTS[-1]}:{port}/{name}" for name in ("wait", "0", "1", "2", "3")]
    write_tsv(folder, 0, pages[::2])
    write_tsv(folder, 1, pages[1::2])
    return len(pages)


def test_the_store_is_that_of_a_local_run_and_hosts_keep_their_limits(
    tmp_path: Path, project_root: Path, server: CountingServer, ray_cluster: RayNodes
) -> None:
    write_urls(tmp_path / "urls", server.server_port)
    local = scraped(project_root, tmp_path / "urls", tmp_path / "local")
    of_local_run = server.requests.copy()
    server.requests.clear()
    keep = tmp_path / "pages"
    flags = ["--ray", ray_cluster.address, "--actor_cpus", "1", "--keep_pages", str(keep)]
    assert scraped(project_root, tmp_path / "urls", tmp_path / "store", *flags) == local
    assert max(server.most.values()) <= PER_HOST
    assert server.requests == of_local_run  # the pause that a host demands holds for all its pages
    assert json.loads((keep / "0" / "log.jsonl").read_text().splitlines()[0])["status"] == 200
