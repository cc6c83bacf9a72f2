"""The loopback archive of saved pages."""

import socket
import struct
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from src.retrieval import serve_pages
from tests.retrieval.archive import archive


def test_a_page_is_served_under_its_url(sample: Path) -> None:
    with archive(sample) as address:
        answer = requests.get(f"{address}https://lanternpedia.example/wiki/Ilse_Tarrant", timeout=60)
        missing = requests.get(f"{address}https://elsewhere.example/", timeout=60)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html")
    assert answer.content == (sample / "pages" / "0" / "02.html").read_bytes()
    assert missing.status_code == 404


def test_a_connection_that_its_client_breaks_is_not_reported(sample: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with archive(sample) as address:
        port = urlsplit(address).port
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets it
            client.sendall(b"GET /https://lanternpedia.example/wiki/Ilse_Tarrant HTTP/1.1\r\nHost: x\r\n\r\n")
            client.recv(10)
        assert requests.get(address, timeout=60).status_code == 404
    assert capfd.readouterr().err == ""


def test_a_folder_that_is_not_there(tmp_path: Path, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = tmp_path / "nowhere"
    assert serve_pages.main(["--pages", str(pages), "--urls", str(sample / "urls")]) == 2
    assert capsys.readouterr().err == f"error: {pages}: not found\n"


def test_pages_without_urls_are_an_error(tmp_path: Path, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve_pages.main(["--pages", str(tmp_path), "--urls", str(sample / "urls")]) == 2
    assert "no page there belongs to a URL" in capsys.readouterr().err
