"""The download step against a loopback server with the endpoint that it needs: HEAD and GET of resolve/main/FILE."""

import contextlib
import hashlib
import io
import random
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from src.retrieval import hub as published_hub
from src.retrieval import published_files as placing
from src.retrieval.download_published import main
from src.retrieval.published_files import HUB_REPOSITORY, WAITING
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS

MB = 1_000_000


@dataclass
class Hub:
    """Files by their path, what was asked (method, path, range), and after how many bytes a GET stalls."""

    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    stall_after: int | None = None
    break_after: int | None = None  # of the first GET alone
    drips: bool = False
    more: int = 0  # bytes after the file
    wrong_hash: bool = False
    endpoint: str = ""
    closing: threading.Event = field(default_factory=threading.Event)

    def etag(self, data: bytes) -> str:
        if self.wrong_hash:
            return "0" * 64
        large = len(data) > MB
        return hashlib.sha256(data).hexdigest() if large else hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            data = self._answer()
            if hub.break_after is not None:
                self.wfile.write(data[: hub.break_after])
                hub.break_after = None
                return
            with contextlib.suppress(ConnectionError):
                while hub.drips and not hub.closing.wait(0.05):
                    self.wfile.write(b"x")
            if hub.stall_after is None:
                with contextlib.suppress(ConnectionError):
                    self.wfile.write(data + bytes(hub.more))
                return
            self.wfile.write(data[: hub.stall_after])
            self.wfile.flush()
            hub.closing.wait(20)

        def _answer(self) -> bytes:
            path = self.path.partition(f"/{HUB_REPOSITORY}/resolve/main/")[2]
            wanted = self.headers.get("Range")
            hub.asked.append((self.command, path, wanted))
            data = hub.files.get(path)
            if data is None:
                self._missing()
                return b""
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            self.send_response(206 if wanted else 200)
            if not hub.more or self.command == "HEAD":
                self.send_header("Content-Length", str(len(data) - start))
            if wanted:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.send_header("ETag", f'"{hub.etag(data)}"')
            self.send_header("X-Repo-Commit", "0" * 40)
            self.end_headers()
            return data[start:]

        def _missing(self) -> None:
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    hub.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    yield hub
    hub.closing.set()
    server.shutdown()
    thread.join()
    server.server_close()


def _zip(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        for name, text in files.items():
            zipped.writestr(name, text)
    return buffer.getvalue()


def test_claims_come_to_their_place(hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub.files["data/dev.json"] = b'[{"claim": "c"}]'
    assert main(["dev", "--endpoint", hub.endpoint, "--root", str(tmp_path)]) == 0
    assert (tmp_path / "data/dev.json").read_bytes() == hub.files["data/dev.json"]
    assert "1 files to download, 16 B" in capsys.readouterr().out
    assert list((tmp_path / WAITING).iterdir()) == []


def test_existing_files_are_not_downloaded(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/dev.json").write_text("mine")
    hub.files["data/dev.json"] = b"theirs"
    arguments = ["dev", "claims", "--endpoint", hub.endpoint, "--root", str(tmp_path)]
    assert main(arguments) == 0
    assert hub.asked == []
    assert (tmp_path / "data/dev.json").read_text() == "mine"
    assert main([*arguments, "--overwrite"]) == 0
    assert (tmp_path / "data/dev.json").read_text() == "theirs"


def test_urls_are_unzipped_and_the_store_is_not(hub: Hub, tmp_path: Path) -> None:
    hub.files["data_store/urls/dev_urls.zip"] = _zip(**{"dev_store/0.tsv": "0\ta\tu\tq\n", "__MACOSX/0.tsv": "x"})
    store = _zip(**{"output_dev/0.json": "{}"})
    hub.files["data_store/knowledge_store/dev_knowledge_store.zip"] = store
    assert main(["dev", "urls", "knowledge_store", "--endpoint", hub.endpoint, "--root", str(tmp_path)]) == 0
    assert (tmp_path / "data_store/dev_store/0.tsv").read_text() == "0\ta\tu\tq\n"
    assert [path.name for path in (tmp_path / "data_store/dev_store").iterdir()] == ["0.tsv"]
    assert (tmp_path / "data_store/knowledge_store/dev/dev_knowledge_store.zip").read_bytes() == store


def test_an_incomplete_folder_is_an_error(hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub.files["data_store/urls/dev_urls.zip"] = _zip(**{f"dev_store/{number}.tsv": "" for number in range(500)})
    folder = tmp_path / "data_store/dev_store"
    folder.mkdir(parents=True)
    arguments = ["dev", "urls", "--endpoint", hub.endpoint, "--root", str(tmp_path)]
    assert main(arguments) == 0
    assert main(arguments) == 0
    assert "data_store/dev_store: already there" in capsys.readouterr().out
    for file in sorted(folder.iterdir())[1:]:
        file.unlink()
    requests_before = len(hub.asked)
    assert main(arguments) == 2
    assert f"{folder}: 1 of 500 there; --overwrite replaces the folder by a download" in capsys.readouterr().err
    assert len(hub.asked) == requests_before
    assert main([*arguments, "--overwrite"]) == 0
    assert len(list(folder.iterdir())) == 500


def test_a_killed_download_goes_on_where_it_was(hub: Hub, tmp_path: Path, project_root: Path) -> None:
    data = random.Random(0).randbytes(24 * MB)
    remote = "pretrained_models/bert_veracity.ckpt"
    hub.files = {remote: data, "pretrained_models/bert_dual_encoder.ckpt": b"small"}
    hub.stall_after = 22 * MB
    (tmp_path / "pretrained_models").mkdir()
    (tmp_path / "pretrained_models/bert_dual_encoder.ckpt").write_bytes(b"small")
    arguments = ["dev", "checkpoints", "--endpoint", hub.endpoint, "--root", str(tmp_path)]
    command = [sys.executable, "-m", "src.retrieval.download_published", *arguments]
    process = subprocess.Popen(command, cwd=project_root, stdout=subprocess.DEVNULL)
    partial = tmp_path / WAITING / f"bert_veracity.ckpt.{hub.etag(data)}.part"
    while process.poll() is None and not (partial.exists() and partial.stat().st_size >= 10 * MB):
        time.sleep(0.01)
    process.kill()
    process.wait()
    had = partial.stat().st_size
    hub.closing.set()
    hub.stall_after = None

    assert main(arguments) == 0
    assert (tmp_path / remote).read_bytes() == data
    assert hub.asked[-1] == ("GET", remote, f"bytes={had}-")


def test_a_connection_that_breaks_is_opened_again(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published_hub, "PAUSE", 0.0)
    hub.files["data/dev.json"] = b'[{"claim": "c"}]'
    hub.break_after = 5
    assert main(["dev", "--endpoint", hub.endpoint, "--root", str(tmp_path)]) == 0
    assert (tmp_path / "data/dev.json").read_bytes() == hub.files["data/dev.json"]
    assert hub.asked[-2:] == [("GET", "data/dev.json", None), ("GET", "data/dev.json", "bytes=5-")]


def test_more_bytes_than_announced_are_refused(hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub.files["data/dev.json"] = b"[]"
    hub.more = 50 * MB
    assert main(["dev", "--endpoint", hub.endpoint, "--root", str(tmp_path)]) == 2
    assert "more than the 2 bytes that were announced" in capsys.readouterr().err
    assert list((tmp_path / WAITING).iterdir()) == []


def test_a_hub_that_drips_is_given_up_and_what_came_stays(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_hub, "ANSWER_SECONDS", 1.0)
    hub.files["data/dev.json"] = b"x" * 1000
    hub.drips = True
    assert main(["dev", "--endpoint", hub.endpoint, "--root", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "fewer than 20 kB a second; start again to go on from here" in error
    (partial,) = (tmp_path / WAITING).iterdir()
    assert 0 < partial.stat().st_size < 1000


def test_headers_that_drip_end_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_hub, "ANSWER_SECONDS", 0.5)
    with FaultServer() as server:
        server.others = FAULTS["headers-byte-by-byte"]
        assert main(["dev", "--endpoint", server.url(""), "--root", str(tmp_path)]) == 2
    assert "no whole answer within 0.5 s" in capsys.readouterr().err


def test_wrong_bytes_are_refused(hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub.files["data/dev.json"] = b"[]"
    hub.wrong_hash = True
    assert main(["dev", "--endpoint", hub.endpoint, "--root", str(tmp_path)]) == 2
    assert "do not have the published hash" in capsys.readouterr().err
    assert not (tmp_path / "data/dev.json").exists()
    assert list((tmp_path / WAITING).iterdir()) == []


def test_a_full_disk_is_seen_before_anything_comes(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.files["data/dev.json"] = b"[1, 2, 3]"
    monkeypatch.setattr(placing, "free_space", lambda root: 8)
    assert main(["dev", "--endpoint", hub.endpoint, "--root", str(tmp_path)]) == 2
    assert "has 8 B free, 9 B are to be downloaded" in capsys.readouterr().err
    assert [method for method, _, _ in hub.asked] == ["HEAD"]


def test_a_file_that_the_hub_lacks(hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--endpoint", hub.endpoint, "--root", str(tmp_path)]) == 2
    message = "copy files of chenxwh/AVeriTeC that you have to this folder: its data/train.json as data/train.json"
    assert message in capsys.readouterr().err


def test_no_hub_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dev", "claims", "urls", "--endpoint", "http://127.0.0.1:9", "--root", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "data_store/urls/dev_urls.zip, unzipped, as data_store/dev_store" in error


def test_unpublished_kinds_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "outputs", "--root", str(tmp_path)]) == 2
    assert "there are: claims, urls, knowledge_store, checkpoints" in capsys.readouterr().err
