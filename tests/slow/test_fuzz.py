"""Readers with random bytes, and with valid files that were changed: they read the file or raise a clear error."""

import gzip
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from src.append_only import sealed
from src.errors import InputError, StoreError
from src.knowledge_store import KnowledgeStore
from src.records import CandidateQuestions, Claim, Evidence, Prediction, Sentence
from src.reranking.top_file import read_ranked
from src.runner.fingerprint import Fingerprint
from src.runner.journal import Entry, Header, Journal
from src.runner.manifest import read_manifest
from src.runner.shards import read_shard
from src.store import read_by_claim, read_claims, read_records
from tests.runner.letters_step import main
from tests.runner.small_world import write_world

pytestmark = pytest.mark.slow

GOOD_LINES = [
    b'{"claim": "a", "label": "Refuted", "questions": [{"question": "q", "answers": [{"answer": "x"}]}]}',
    b'{"claim_id": 0, "claim": "c", "top_100": [{"sentence": "s", "url": "u"}]}',
    b'{"claim_id": 1, "claim": "c", "bm25_qau": [["q?", "a", "u"]]}',
    b'{"claim_id": 2, "claim": "", "evidence": [{"question": "", "answer": "", "url": ""}], "pred_label": "Refuted"}',
    b'{"claim_id": "7", "type": "t", "query": "q", "url": "u", "url2text": ["one", "two \\ud83d\\ude00"]}',
]
PIECES = [
    *(b"\xff", b"\x00", b"\n", b"\r\n", b'"', b"\\", b"\\ud800", b"\\u0000", b"{", b"[", b"}", b"]", b",", b":"),
    *(b"null", b"-1", b"1e999", b"NaN", b"9" * 40, b"\xef\xbb\xbf", b"\x1f\x8b", b"PK\x03\x04", b"[" * 3000, b" " * 50),
]


@st.composite
def mutated(draw: st.DrawFn, valid: st.SearchStrategy[bytes]) -> bytes:
    data = bytearray(draw(valid))
    for _ in range(draw(st.integers(0, 5))):
        begin = draw(st.integers(0, len(data)))
        end = draw(st.integers(begin, min(len(data), begin + 9)))
        data[begin:end] = draw(st.sampled_from(PIECES) | st.binary(max_size=4))
    return bytes(data)


lines = st.lists(st.sampled_from(GOOD_LINES), max_size=4)
plain = lines.map(b"\n".join) | lines.map(lambda parts: b"[" + b",\n".join(parts) + b"]")
packed = plain.map(lambda data: gzip.compress(data, mtime=0))


def zip_of(data: bytes) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("store/7.json", data)
        archive.writestr("8.json.gz", gzip.compress(data, mtime=0))
    return buffer.getvalue()


anything = st.binary(max_size=300) | mutated(plain) | mutated(packed) | mutated(plain).map(gzip.compress)
many = settings(max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module", autouse=True)
def _no_syncing() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


READERS: list[Callable[[Path], object]] = [
    read_claims,
    read_ranked,
    lambda path: read_records(path, msgspec.Raw),
    lambda path: read_by_claim(path, CandidateQuestions),
    lambda path: read_by_claim(path, Evidence),
    lambda path: read_records(path, Prediction),
    lambda path: read_records(path, Claim),
]


@pytest.mark.parametrize("read", READERS)
@many
@given(data=anything)
@example(data=b"[" * 200_000)
@example(data=b'{"a":' * 200_000)
def test_readers_of_records(folder: Path, read: Callable[[Path], object], data: bytes) -> None:
    path = folder / "x.json"
    path.write_bytes(data)
    with suppress(InputError):
        assert isinstance(read(path), list)


@many
@given(data=anything)
def test_pages_of_a_claim(folder: Path, data: bytes) -> None:
    store = folder / "store"
    store.mkdir(exist_ok=True)
    (store / "7.json").write_bytes(data)
    with suppress(StoreError):
        assert all(isinstance(sentence, Sentence) for sentence in KnowledgeStore(store).sentences(7))


@many
@given(data=mutated(plain.map(zip_of)) | mutated(plain).map(zip_of) | st.binary(max_size=200))
def test_zips_of_pages(folder: Path, data: bytes) -> None:
    (folder / "store.zip").write_bytes(data)
    with suppress(StoreError, InputError):
        store = KnowledgeStore(folder / "store.zip")
        for claim_id in (7, 8):
            with suppress(StoreError):
                assert all(isinstance(sentence, Sentence) for sentence in store.sentences(claim_id))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a finished shard with its manifest."""
    world = write_world(tmp_path_factory.mktemp("made"))
    shard = world.output.with_name("result.0-4.json")
    assert main(["-c", str(world.claims), "-o", str(shard), "--quiet"]) == 0
    return shard


@many
@given(data=st.data())
def test_shards_and_their_manifests(made: Path, data: st.DataObject) -> None:
    shard = made.with_name("broken.0-4.json")
    manifest = made.with_name("broken.0-4.manifest.json")
    shard.write_bytes(data.draw(mutated(st.just(made.read_bytes()))))
    manifest.write_bytes(data.draw(mutated(st.just(made.with_name("result.0-4.manifest.json").read_bytes()))))
    read_manifest(shard)
    with suppress(InputError):
        assert [bytes(record) for record in read_shard(shard).records()] == made.read_bytes().splitlines()


@many
@given(data=st.data())
def test_progress_files(folder: Path, data: st.DataObject) -> None:
    fingerprint = Fingerprint("step", {"k": 1}, {}, 0, 3, 4)
    entry = Entry(0, msgspec.Raw(b'{"claim_id": 0}'), {"n": 1}, 0.5)
    header = Header(fingerprint, None, "hash of the code")
    whole = sealed(msgspec.json.encode(header)) + sealed(msgspec.json.encode([entry]))
    file = folder / "y.json.progress"
    file.write_bytes(whole)
    with _journal(folder, fingerprint) as journal:
        assert list(journal.entries([0])) == [entry]
    file.write_bytes(data.draw(mutated(st.just(whole)) | st.binary(max_size=100)))
    with suppress(InputError), _journal(folder, fingerprint) as journal:
        assert all(entry.claim_id == 0 for entry in journal.entries([0] * len(journal)))


def _journal(folder: Path, fingerprint: Fingerprint) -> Journal[Entry]:
    return Journal(folder / "y.json", fingerprint, Entry, lambda entry: entry.claim_id)
