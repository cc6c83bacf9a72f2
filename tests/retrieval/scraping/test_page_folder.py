from pathlib import Path

import pytest

from src.errors import InputError
from src.retrieval.scraping.page_folder import PageFolder
from src.retrieval.scraping.page_log import PageLog
from src.store import encode_lines


def kept(folder: PageFolder, row: int, data: bytes, media_type: str) -> Path:
    part = folder.part(4, row)
    part.write_bytes(data)
    return folder.keep(part, media_type)


def test_pages_are_named_by_row_and_by_what_they_are(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    kept(folder, 3, b"%PDF", "application/pdf")
    kept(folder, 100, b"<p>", "text/html")
    kept(folder, 5, b"GIF", "image/gif")
    assert sorted(path.name for path in (tmp_path / "4").iterdir()) == ["03.pdf", "05.bin", "100.html"]


def test_a_page_replaces_the_older_one_of_its_row(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    kept(folder, 3, b"<p>", "text/html")
    kept(folder, 3, b"%PDF", "application/pdf")
    assert [path.name for path in (tmp_path / "4").iterdir()] == ["03.pdf"]


def test_a_link_is_the_same_page_of_another_row(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    page = kept(folder, 3, b"<p>text", "text/html")
    folder.link(page, 9, 0)
    folder.link(page, 9, 0)
    assert (tmp_path / "9" / "00.html").read_bytes() == b"<p>text"
    assert len(list((tmp_path / "9").iterdir())) == 1


def test_a_saved_page_is_what_was_fetched(tmp_path: Path) -> None:
    kept(PageFolder(tmp_path), 0, b"<p>", "text/html")
    log = PageLog(row=0, url="http://a.example/", final_url="http://b.example/", status=200, content_type="text/html")
    gone = PageLog(row=1, url="http://a.example/1", status=404, reason="HTTP 404")
    (tmp_path / "4" / "log.jsonl").write_bytes(encode_lines([log, gone]))
    folder = PageFolder(tmp_path)
    found = folder.saved(4, 0, "http://a.example/")
    assert (found.final_url, found.bytes, found.content_type, found.reason) == ("http://b.example/", 3, "text/html", "")
    assert folder.saved(4, 1, "http://a.example/1").reason == "HTTP 404"
    assert folder.saved(4, 2, "http://a.example/2").reason == "no saved page"
    with pytest.raises(InputError, match=r"row 0 was saved from http://a\.example/, not http://c\.example/"):
        folder.saved(4, 0, "http://c.example/")


def test_two_pages_of_one_row_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "0"
    folder.mkdir()
    (folder / "00.html").touch()
    (folder / "0.pdf").touch()
    with pytest.raises(InputError, match="is of the same row"):
        PageFolder(tmp_path).page(0, 0)
