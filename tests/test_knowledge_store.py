"""Pages of a claim from a folder, a zip or a folder of zips; a damaged file fails only its claim."""

import gzip
import zipfile
from pathlib import Path

import pytest

from src.errors import InputError, StoreError
from src.knowledge_store import KnowledgeStore, StoreInMemory
from src.records import Document, Sentence
from src.store import encode_lines

PAGES = [
    Document(claim_id="7", type="claim", query="q", url="https://a.example/", url2text=["One.", "", "Two."]),
    Document(url="https://b.example/", url2text=[]),
    Document(url="https://c.example/", url2text=["Three 中 \U0001f600."]),
]
DATA = encode_lines(PAGES)
SENTENCES = [
    Sentence("One.", "https://a.example/"),
    Sentence("", "https://a.example/"),
    Sentence("Two.", "https://a.example/"),
    Sentence("Three 中 \U0001f600.", "https://c.example/"),
]


def write_zip(path: Path, members: dict[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("pack", ["folder", "gz in folder", "zip", "gz in zip", "zip with folders", "folder of zips"])
def test_every_packing_gives_the_same_pages(tmp_path: Path, pack: str) -> None:
    path = tmp_path / "store"
    match pack:
        case "folder":
            path.mkdir()
            (path / "7.json").write_bytes(DATA)
        case "gz in folder":
            path.mkdir()
            (path / "7.json.gz").write_bytes(gzip.compress(DATA, mtime=0))
        case "zip":
            path = write_zip(tmp_path / "dev.zip", {"7.json": DATA})
        case "gz in zip":
            path = write_zip(tmp_path / "dev.zip", {"7.json.gz": gzip.compress(b"\xef\xbb\xbf" + DATA, mtime=0)})
        case "zip with folders":
            path = write_zip(tmp_path / "dev.zip", {"output_dev/7.json": DATA, "__MACOSX/output_dev/7.json": b"x"})
        case _:
            write_zip(path / "a.zip", {"1.json": b"", "2.json": b""})
            write_zip(path / "b.zip", {"test/7.json": DATA})
            (path / "README.md").write_text("not a claim")
    store = KnowledgeStore(path)
    assert 7 in store
    assert 8 not in store
    assert store.last() == 7
    assert len(store) == (3 if pack == "folder of zips" else 1)
    assert store[7] == PAGES
    assert store.sentences(7) == SENTENCES


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf" + DATA, DATA.replace(b"\n", b"\r\n"), b"\n" + DATA + b" \n\n"])
def test_marks_and_blank_lines_do_not_matter(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "7.json").write_bytes(data)
    assert KnowledgeStore(tmp_path)[7] == PAGES
    assert KnowledgeStore(write_zip(tmp_path / "zips" / "a.zip", {"7.json": data}))[7] == PAGES


def test_the_published_folder_is_read_when_only_that_exists(tmp_path: Path) -> None:
    (tmp_path / "output_dev").mkdir()
    (tmp_path / "output_dev" / "3.json").write_bytes(DATA)
    path = tmp_path / "knowledge_store" / "dev"
    assert KnowledgeStore(path)[3] == PAGES
    path.mkdir(parents=True)
    assert 3 not in KnowledgeStore(path)
    with pytest.raises(InputError):
        KnowledgeStore(tmp_path / "elsewhere" / "dev")


def test_no_store_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"store/dev: no knowledge store there; .*download\.sh dev knowledge_store"):
        KnowledgeStore(tmp_path / "store" / "dev")


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x03\x04 not really", DATA])
def test_a_file_that_is_no_zip_is_bad_input(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "dev.zip").write_bytes(data)
    for path in (tmp_path / "dev.zip", tmp_path):
        with pytest.raises(InputError, match=r"dev\.zip: not a readable zip"):
            KnowledgeStore(path)


def test_a_claim_without_a_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"5\.json: the knowledge store has no file for claim 5"):
        KnowledgeStore(tmp_path)[5]
    assert KnowledgeStore(tmp_path).last() == -1


def test_an_empty_file_is_a_claim_for_which_nothing_was_found(tmp_path: Path) -> None:
    (tmp_path / "7.json").write_bytes(b"")
    assert KnowledgeStore(tmp_path).sentences(7) == []


LINE = b'{"url": "u", "url2text": ["one"]}\n'


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (LINE + LINE[:20], "line 2: "),
        (LINE + b'{"url": "u", "url2text": null}', "line 2, field url2text: "),
        (LINE + b'\n{"url": "u", "url2text": ["a", 3]}', r"line 3, field url2text\[1\]: "),
        (b'{"url": "u", "url2text": "one string"}', "line 1, field url2text: "),
        (b'{"url2text": []}', "line 1, field url: missing"),
        (b'{"url": "u"}', "line 1, field url2text: missing"),
        (b'{"url": 5, "url2text": []}', "line 1, field url: "),
        (b'[{"url": "u", "url2text": []}]', "line 1: "),
        (LINE + b"\x00" * 99, "line 2: "),
        (b'{"url": "u", "url2text": ["\xff"]}', "line 1"),
        (b'{"url": "u", "url2text": ' + b"[" * 200_000, "line 1"),
        (gzip.compress(LINE, mtime=0)[:-4], "cannot be read"),
    ],
)
def test_the_error_of_a_damaged_file_has_line_and_field(tmp_path: Path, data: bytes, place: str) -> None:
    (tmp_path / "7.json").write_bytes(data)
    with pytest.raises(StoreError, match=rf"{tmp_path}/7\.json(, |: ){place}"):
        KnowledgeStore(tmp_path)[7]
    archive = write_zip(tmp_path / "zips" / "dev.zip", {"store/7.json": data})
    with pytest.raises(StoreError, match=rf"dev\.zip/store/7\.json(, |: ){place}"):
        KnowledgeStore(archive)[7]


def test_a_folder_named_like_a_claim(tmp_path: Path) -> None:
    (tmp_path / "7.json").mkdir()
    with pytest.raises(StoreError, match=r"7\.json: is a folder"):
        KnowledgeStore(tmp_path)[7]


def test_a_damaged_zip_never_gives_wrong_pages(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "dev.zip", {"7.json": DATA})
    whole = path.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        path.write_bytes(damaged)
        try:
            store = KnowledgeStore(path)
            assert 7 not in store or store[7] == PAGES
        except (InputError, StoreError):
            continue


def test_a_sentence_of_five_megabytes(tmp_path: Path) -> None:
    page = Document(url="u", url2text=["word " * 1_000_000])
    (tmp_path / "7.json").write_bytes(encode_lines([page]))
    assert KnowledgeStore(tmp_path)[7] == [page]


def test_the_sample_store_has_every_claim(sample: Path) -> None:
    store = KnowledgeStore(sample / "knowledge_store")
    assert len(store) == store.last() + 1
    assert all(store.sentences(claim_id) for claim_id in range(len(store)))


def test_real_stores_are_read(shared_data: Path) -> None:
    store = KnowledgeStore(shared_data / "averitec" / "knowledge_store" / "dev")
    assert (len(store), store.last()) == (500, 499)
    assert sum(len(store.sentences(claim_id)) for claim_id in range(500)) == 24_462


def test_a_store_of_other_claims_is_refused(tmp_path: Path) -> None:
    (tmp_path / "3.json").write_bytes(b"")
    store = KnowledgeStore(tmp_path)
    store.refuse_without([2, 3])
    with pytest.raises(InputError, match="holds no file of any of the claims"):
        store.refuse_without([0, 2])


def test_only_digits_from_0_to_9_name_a_claim(tmp_path: Path) -> None:
    for name in ("\u0660.json", "\u0661.json.gz", "\uff12.json"):
        (tmp_path / name).write_bytes(encode_lines(PAGES))
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("output_dev/\u0663.json", encode_lines(PAGES))
    assert len(KnowledgeStore(tmp_path)) == 0


def test_a_member_whose_name_is_too_long_a_number_is_no_claim(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "dev.zip", "w") as archive:
        for name in ("9" * 5000, "9" * 19, "7"):
            archive.writestr(f"{name}.json", b"")
    store = KnowledgeStore(tmp_path / "dev.zip")
    assert len(store) == 1
    assert 7 in store


@pytest.mark.parametrize("is_in_gzip", [True, False])
def test_a_member_that_unpacks_to_too_much(tmp_path: Path, is_in_gzip: bool) -> None:
    piece = b" " * (1 << 20)
    with zipfile.ZipFile(tmp_path / "dev.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        if is_in_gzip:
            archive.writestr("7.json.gz", gzip.compress(piece * 80))
        else:
            with archive.open("7.json", "w") as file:
                for _ in range(80):
                    file.write(piece)
        archive.writestr("8.json", encode_lines([Document(url="u", url2text=["A ferry sank."])]))
    store = KnowledgeStore(tmp_path / "dev.zip")
    with pytest.raises(StoreError, match=r"7\.json.*: cannot be read: its \d+ bytes unpack to more than 64 MiB"):
        store[7]
    assert [page.url for page in store[8]] == ["u"]


def test_a_gzip_that_unpacks_to_too_much(tmp_path: Path) -> None:
    (tmp_path / "7.json.gz").write_bytes(gzip.compress(b" " * (80 << 20)))
    with pytest.raises(StoreError, match="unpack to more than 64 MiB"):
        KnowledgeStore(tmp_path)[7]


def test_pages_in_memory_read_as_those_of_a_file(tmp_path: Path) -> None:
    pages = [
        Document(url="http://a.example/", url2text=["One.", "", "Two."]),
        Document(url="http://b.example/", url2text=[]),
    ]
    (tmp_path / "3.json").write_bytes(encode_lines(pages))
    on_disk, in_memory = KnowledgeStore(tmp_path).file(3), StoreInMemory({3: pages}).file(3)
    assert in_memory.documents == on_disk.documents == pages
    assert (in_memory.sha256, in_memory.sentences()) == (on_disk.sha256, on_disk.sentences())
    with pytest.raises(StoreError, match="there are no pages of claim 4"):
        StoreInMemory({3: pages}).file(4)
