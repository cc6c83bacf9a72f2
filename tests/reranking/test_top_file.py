"""The file of ranked sentences, as published."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.errors import InputError
from src.records import ChosenSentence, RankedSentences
from src.reranking.top_file import encode_ranked, read_ranked
from src.store import encode_lines

texts = st.text(st.characters(codec="utf-8"), max_size=20)
claims = st.builds(
    RankedSentences,
    claim_id=st.integers(0, 2**40),
    claim=texts,
    top_k=st.integers(1, 10_000),
    sentences=st.lists(st.builds(ChosenSentence, texts, texts), max_size=4),
)


def put(folder: Path, data: bytes) -> Path:
    path = folder / "top.json"
    path.write_bytes(data)
    return path


def test_the_key_is_named_by_the_flag(tmp_path: Path) -> None:
    one = RankedSentences(3, "Ç", 100, [ChosenSentence("s", "u")])
    line = '{"claim_id":3,"claim":"Ç","top_100":[{"sentence":"s","url":"u"}]}'
    assert encode_ranked(one) == line.encode()
    assert read_ranked(put(tmp_path, line.encode())) == [one]
    assert read_ranked(put(tmp_path, f"[{line},\n{line.replace('3', '4', 1)}]".encode()))[1].claim_id == 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("top")


@given(ranked=st.lists(claims, max_size=4, unique_by=lambda claim: claim.claim_id))
def test_what_is_written_is_read_again(folder: Path, ranked: list[RankedSentences]) -> None:
    data = b"".join(encode_ranked(one) + b"\n" for one in ranked)
    assert read_ranked(put(folder, data)) == ranked


def test_the_published_peer_file_is_read(shared_data: Path) -> None:
    claims = read_ranked(shared_data / "averitec" / "peers" / "hero_dev_reranking_top_k.jsonl.gz")
    assert [claim.claim_id for claim in claims] == list(range(500))
    assert {claim.top_k for claim in claims} == {10}
    assert all(len(claim.sentences) <= 10 for claim in claims)


HEAD = b'{"claim_id": 0, "claim": "c"'


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (HEAD + b"}", "line 1: exactly one field top_K is needed"),
        (HEAD + b', "top_5": [], "top_6": []}', "line 1: exactly one field top_K is needed"),
        (HEAD + b', "top_k": []}', "line 1: exactly one field top_K is needed"),
        (HEAD + b', "top_' + b"9" * 5000 + b'": []}', "line 1: exactly one field top_K is needed"),
        (HEAD + b', "top_\xd9\xa3": []}', "line 1: exactly one field top_K is needed"),
        (HEAD + b', "top_5": null}', "line 1, field top_5: "),
        (HEAD + b', "top_5": [{"sentence": "s", "url": "u"}, {"url": "u"}]}',
         r"line 1, field top_5\[1\]\.sentence: missing"),
        (HEAD + b', "top_5": [{"sentence": 1, "url": "u"}]}', r"line 1, field top_5\[0\]\.sentence: "),
        (HEAD + b', "top_5": [{"sentence": "\xff", "url": "u"}]}', "line 1, field top_5: "),
        (b'{"claim_id": "0", "claim": "c", "top_5": []}', "line 1, field claim_id: "),
        (HEAD + b', "top_5": []}\n' + HEAD, "line 2: "),
        (HEAD + b', "top_5": []}\n' + HEAD + b', "top_5": []}',
         "line 2, field claim_id: claim_id 0 is already on line 1"),
        (b"7", "line 1: "),
    ],
)  # fmt: skip
def test_the_error_for_a_wrong_shape_names_line_and_field(tmp_path: Path, data: bytes, place: str) -> None:
    with pytest.raises(InputError, match=rf"top\.json, {place}"):
        read_ranked(put(tmp_path, data))


def test_no_claims_no_records(tmp_path: Path) -> None:
    assert read_ranked(put(tmp_path, b"")) == []
    assert read_ranked(put(tmp_path, encode_lines([]))) == []
