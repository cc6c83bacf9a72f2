import hashlib
from pathlib import Path

import pytest

from src.errors import InputError, OutputError
from src.retrieval.scraping.page_log import PageLog
from src.retrieval.scraping.sources import PageFolder
from src.store import encode_lines


def keep_page(folder: PageFolder, row: int, data: bytes, media_type: str) -> Path:
    part = folder.part(4, row)
    part.write_bytes(data)
    return folder.keep(part, media_type)


def test_pages_are_named_by_row_and_by_what_they_are(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    keep_page(folder, 3, b"%PDF", "application/pdf")
    keep_page(folder, 100, b"<p>", "text/html")
    keep_page(folder, 5, b"GIF", "image/gif")
    assert sorted(path.name for path in (tmp_path / "4").iterdir()) == ["03.pdf", "05.bin", "100.html"]


def test_a_page_replaces_the_older_one_of_its_row(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    keep_page(folder, 3, b"<p>", "text/html")
    keep_page(folder, 3, b"%PDF", "application/pdf")
    assert [path.name for path in (tmp_path / "4").iterdir()] == ["03.pdf"]


def test_a_link_is_the_same_page_of_another_row(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    page = keep_page(folder, 3, b"<p>text", "text/html")
    folder.link(page, 9, 0)
    folder.link(page, 9, 0)
    assert (tmp_path / "9" / "00.html").read_bytes() == b"<p>text"
    assert len(list((tmp_path / "9").iterdir())) == 1


def write_log(folder: Path, *lines: PageLog) -> None:
    (folder / "4").mkdir(exist_ok=True)
    (folder / "4" / "log.jsonl").write_bytes(encode_lines(lines))


def line(row: int, data: bytes = b"", url: str = "http://a.example/", reason: str = "") -> PageLog:
    sha256 = hashlib.sha256(data).hexdigest() if data else ""
    return PageLog(row=row, url=url, sha256=sha256, final_url="http://b.example/", content_type="a/b", reason=reason)


def test_a_saved_page_is_what_was_fetched(tmp_path: Path) -> None:
    keep_page(PageFolder(tmp_path), 0, b"<p>", "text/html")
    write_log(tmp_path, line(0, b"<p>"), line(1, url="http://a.example/1", reason="HTTP 404"))
    folder = PageFolder(tmp_path)
    saved_page = folder.saved(4, 0, "http://a.example/")
    assert (saved_page.final_url, saved_page.bytes, saved_page.content_type, saved_page.reason) == (
        "http://b.example/",
        3,
        "a/b",
        "",
    )
    assert folder.saved(4, 1, "http://a.example/1").reason == "HTTP 404"
    assert folder.saved(4, 2, "http://a.example/2").reason == "no saved page"


def test_a_page_is_found_by_its_url_wherever_its_row_is_now(tmp_path: Path) -> None:
    keep_page(PageFolder(tmp_path), 0, b"<p>a", "text/html")
    keep_page(PageFolder(tmp_path), 1, b"<p>b", "text/html")
    write_log(tmp_path, line(0, b"<p>a", "http://a.example/"), line(1, b"<p>b", "http://b.example/"))
    folder = PageFolder(tmp_path)
    assert folder.saved(4, 1, "http://a.example/").path == tmp_path / "4" / "00.html"
    assert folder.saved(4, 0, "http://b.example/").path == tmp_path / "4" / "01.html"
    assert folder.saved(4, 0, "http://c.example/").reason == "no saved page"


def test_a_page_that_is_not_the_one_of_the_log_does_not_count(tmp_path: Path) -> None:
    for row in (0, 1, 2):
        keep_page(PageFolder(tmp_path), row, b"<p>old", "text/html")
    urls = [f"http://a.example/{row}" for row in range(3)]
    write_log(tmp_path, line(0, b"<p>new", urls[0]), line(1, url=urls[1], reason="HTTP 404"))
    folder = PageFolder(tmp_path)
    reasons = [folder.saved(4, row, url).reason for row, url in enumerate(urls)]
    assert reasons == ["no saved page", "HTTP 404", "no saved page"]


def test_pages_without_a_log_are_taken_at_their_word(tmp_path: Path) -> None:
    keep_page(PageFolder(tmp_path), 0, b"<p>", "text/html")
    saved_page = PageFolder(tmp_path).saved(4, 0, "http://a.example/")
    assert (saved_page.path, saved_page.final_url) == (tmp_path / "4" / "00.html", "http://a.example/")


def test_the_last_line_of_a_row_counts_and_a_torn_one_does_not(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    keep_page(folder, 0, b"<p>", "text/html")
    folder.note(4, line(0, reason="timeout: read"))
    folder.note(4, line(0, b"<p>"))
    with folder.log_path(4).open("ab") as file:
        file.write(b'{"row": 0, "url": "http://a.ex')
    assert PageFolder(tmp_path).saved(4, 0, "http://a.example/").reason == ""


def test_a_discarded_page_is_gone(tmp_path: Path) -> None:
    folder = PageFolder(tmp_path)
    keep_page(folder, 0, b"<p>", "text/html")
    folder.part(4, 0).write_bytes(b"half")
    folder.discard(4, 0)
    assert list((tmp_path / "4").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for attempt in (lambda: PageFolder(tmp_path / "file").make(), lambda: PageFolder(tmp_path / "file").part(0, 0)):
        with pytest.raises(OutputError, match="cannot write"):
            attempt()


def test_two_pages_of_one_row_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "0"
    folder.mkdir()
    (folder / "00.html").touch()
    (folder / "0.pdf").touch()
    with pytest.raises(InputError, match="is of the same row"):
        PageFolder(tmp_path).page(0, 0)
