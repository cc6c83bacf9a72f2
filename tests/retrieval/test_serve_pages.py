"""The loopback archive of saved pages."""

from pathlib import Path

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


def test_pages_without_urls_are_an_error(tmp_path: Path, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve_pages.main(["--pages", str(tmp_path), "--urls", str(sample / "urls")]) == 2
    assert "no page there belongs to a URL" in capsys.readouterr().err
