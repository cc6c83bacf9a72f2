"""A claim whose servers do every fault there is: the run ends, each row has its reason, the good pages their text.

What each fault does to a download is tested in `tests/retrieval/web`, to reading in `tests/retrieval/pages`.
"""

from pathlib import Path

from src.records import Document
from src.retrieval import scraper_for_knowledge_store as step
from src.retrieval.scraping.page_log import log_path, read_log
from src.store import read_records
from tests.retrieval.scraping.small_web import write_tsv
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS

GOOD = {"good", "203", "gzip", "x-gzip", "deflate", "raw-deflate", "br", "br-in-gzip", "long-body", "until-closed"}
HASTY = ["--connect_timeout", "2", "--read_timeout", "0.4", "--deadline", "2", "--attempts", "2", "--max_mb", "0.2"]
NOT_ADDRESSES = [
    "",
    "no address",
    "ftp://a.example/x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://",
    "http://[::1",
]


def scrape(urls: Path, store: Path, *flags: str) -> int:
    return step.main(["-i", str(urls), "-o", str(store), "--quiet", "--workers", "1", *HASTY, *flags])


def test_every_fault_of_a_server(tmp_path: Path) -> None:
    with FaultServer() as server:
        # a server that asks for an hour of peace gets it, so it must be another one
        urls = [server.url(name, "localhost" if name == "429-in-an-hour" else "") for name in FAULTS]
        write_tsv(tmp_path / "urls", 0, urls)
        assert scrape(tmp_path / "urls", tmp_path / "store", "--allow_private", "--per_host", "64") == 0
    documents = read_records(tmp_path / "store" / "0.json", Document)
    log = read_log(log_path(tmp_path / "store" / "0.json"))
    assert [document.url for document in documents] == urls == [line.url for line in log]
    for name, document, line in zip(FAULTS, documents, log, strict=True):
        assert bool(document.url2text) == (line.reason == "") == (name in GOOD), name


def test_what_is_no_web_address(tmp_path: Path) -> None:
    write_tsv(tmp_path / "urls", 0, NOT_ADDRESSES)
    assert scrape(tmp_path / "urls", tmp_path / "store") == 0
    log = read_log(log_path(tmp_path / "store" / "0.json"))
    assert [line.url for line in log] == NOT_ADDRESSES
    assert {line.reason.partition(":")[0] for line in log} == {"not a web address"}
    assert not any(line.transient for line in log)


def test_private_addresses_are_never_asked(tmp_path: Path) -> None:
    with FaultServer() as server:
        hosts = ["127.0.0.1", "localhost", "0.0.0.0", "[::1]", "2130706433", "0x7f.1", "169.254.169.254", "10.0.0.1"]
        write_tsv(tmp_path / "urls", 0, [server.url("good", host) for host in hosts])
        assert scrape(tmp_path / "urls", tmp_path / "store") == 0
        assert not server.requests
    log = read_log(log_path(tmp_path / "store" / "0.json"))
    assert {line.reason.partition(":")[0] for line in log} == {"address refused"}


def test_rows_with_quotes_nuls_and_a_byte_order_mark(tmp_path: Path) -> None:
    with FaultServer() as server:
        good = server.url("good")
        (tmp_path / "0.tsv").write_bytes(
            b'\xef\xbb\xbf0\tclaim\t%b\t"who said ""so""?"\r\n\n0\tcl\x00aim\t%b?2\t"a lone quote\r\n'
            % (good.encode(), good.encode())
        )
        server.answer("good?2", b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        assert scrape(tmp_path / "0.tsv", tmp_path / "store", "--allow_private") == 0
    first, second = read_records(tmp_path / "store" / "0.json", Document)
    assert (first.query, bool(first.url2text)) == ('who said "so"?', True)
    assert (second.type, second.query) == ("claim", '"a lone quote')
