"""Content encodings come apart into what went in, however the bytes are cut, and never into more than allowed."""

import gzip
import zlib
from collections.abc import Callable
from itertools import pairwise

import brotli  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.retrieval.web.bodies import MEMBERS, PIECE, decoders_for
from src.retrieval.web.failures import FetchFailed


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


PACKERS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("X-GZIP", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("br", brotli.compress),
]


def unpacked(encoding: str, parts: list[bytes], max_bytes: int = 10**9) -> bytes:
    (decoder,) = decoders_for(encoding, max_bytes)
    pieces = [piece for part in parts for piece in decoder.pieces(part)]
    decoder.finish()
    assert all(len(piece) <= 2 * PIECE for piece in pieces)
    return b"".join(pieces)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize(("encoding", "pack"), PACKERS)
@given(st.binary(min_size=1), st.lists(st.integers(min_value=0)), st.integers(min_value=1, max_value=3000))
def test_however_it_is_cut(
    encoding: str, pack: Callable[[bytes], bytes], data: bytes, places: list[int], times: int
) -> None:
    packed = pack(data * times)
    assert unpacked(encoding, cut(packed, places)) == data * times


@pytest.mark.parametrize(("encoding", "pack"), PACKERS)
@pytest.mark.parametrize("size", [1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE])
def test_at_the_edges_of_a_piece(encoding: str, pack: Callable[[bytes], bytes], size: int) -> None:
    assert unpacked(encoding, [pack(bytes(size))]) == bytes(size)
    assert unpacked(encoding, cut(pack(bytes(size)), list(range(30)))) == bytes(size)


@pytest.mark.parametrize(("encoding", "pack"), PACKERS)
def test_cut_short_anywhere(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(b"Some words, some words, some more words. " * 10)
    for end in range(1, len(packed)):
        with pytest.raises(FetchFailed, match="body cut short") as caught:
            unpacked(encoding, [packed[:end]])
        assert caught.value.transient


@pytest.mark.parametrize(("encoding", "pack"), PACKERS)
def test_a_bomb_is_stopped_at_the_limit(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    (decoder,) = decoders_for(encoding, max_bytes=1_000_000)
    seen: list[bytes] = []
    with pytest.raises(FetchFailed, match="too large: more than 1,000,000 bytes"):
        seen.extend(decoder.pieces(pack(bytes(10_000_000))))
    assert sum(map(len, seen)) <= 1_000_000
    assert unpacked(encoding, [pack(bytes(1_000_000))], max_bytes=1_000_000) == bytes(1_000_000)


def test_nothing_at_all_is_no_damage() -> None:
    for encoding in ("gzip", "deflate", "br"):
        assert unpacked(encoding, [b"", b""]) == b""


@given(st.lists(st.binary(), min_size=1, max_size=5), st.lists(st.integers(min_value=0)))
def test_gzip_of_several_members(members: list[bytes], places: list[int]) -> None:
    packed = b"".join(gzip.compress(member) for member in members)
    assert unpacked("gzip", cut(packed, places)) == b"".join(members)


def test_gzip_of_too_many_members() -> None:
    with pytest.raises(FetchFailed, match="damaged gzip body: more than 1,000 members"):
        unpacked("gzip", [gzip.compress(b"") * (MEMBERS + 1)])


@pytest.mark.parametrize(("encoding", "pack"), PACKERS[:-1])
def test_what_follows_the_end_is_dropped(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    assert unpacked(encoding, [pack(b"page") + b"<!-- 3 ms -->", b"more"]) == b"page"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
@given(st.binary(min_size=1))
def test_no_bytes_break_it(encoding: str, data: bytes) -> None:
    try:
        unpacked(encoding, [data])
    except FetchFailed as failure:
        reason = failure.reason
    else:
        reason = ""
    assert reason in {"", f"damaged {encoding} body", "body cut short"}


@pytest.mark.parametrize("header", ["", "identity", "Identity, ", "none", "UTF-8", "binary"])
def test_not_encoded(header: str) -> None:
    assert decoders_for(header, 1000) == []


@pytest.mark.parametrize("header", ["zstd", "compress", "gzip, zstd"])
def test_unknown(header: str) -> None:
    with pytest.raises(FetchFailed, match=r"unknown content-encoding: (zstd|compress)"):
        decoders_for(header, 1000)
