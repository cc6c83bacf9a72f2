"""Stores, claims and flags that are odd or bad, for each way to rank: what is given is ranked, what is bad is said.

What is kept beside a store and cannot be right is in `test_index_cache.py` and `hybrid/test_kept.py`.
"""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from src.pipeline import rank as stage
from src.records import Claim, Document
from src.reranking import bm25_sentences
from src.reranking.top_file import read_ranked
from src.store import encode_lines, encode_list
from tests.reranking.hybrid.word_step import load_words
from tests.runner.small_world import ODD_CLAIMS, World, failed, lines_of, write_world

BOTH = ["bm25", "hybrid"]
STORES: dict[str, tuple[list[str], dict[str, int]]] = {  # sentences, and how many are found in each way
    "no sentence": ([], {"bm25": 0, "hybrid": 0}),
    "one": (["A ferry sank."], {"bm25": 1, "hybrid": 1}),
    "one that is empty": ([""], {"bm25": 1, "hybrid": 1}),
    "all equal": (["A ferry sank."] * 40, {"bm25": 20, "hybrid": 1}),
    "all without a word": (["...", "\u2014", "", "?!"], {"bm25": 4, "hybrid": 1}),
    "a megabyte each": (["ferry " * 170_000, "x" * 1_000_000, "\u5c71" * 350_000], {"bm25": 3, "hybrid": 3}),
    "nul and line ends": (["A\x00ferry", "sank\u2028in\r\nMay"], {"bm25": 2, "hybrid": 2}),
}


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "load_encoder", load_words)


def rank(world: World, *flags: str) -> int:
    paths = ["-k", str(world.store), "-c", str(world.claims), "-o", str(world.output)]
    return bm25_sentences.main([*paths, "--quiet", *flags])


@pytest.mark.parametrize("retriever", BOTH)
def test_odd_stores_beside_each_other(tmp_path: Path, retriever: str) -> None:
    world = write_world(tmp_path, ["A ferry sank."] * len(STORES), [texts for texts, _ in STORES.values()])
    assert rank(world, "--retriever", retriever, "--top_k", "20") == 0
    counts = {name: len(claim.sentences) for name, claim in zip(STORES, read_ranked(world.output), strict=True)}
    assert counts == {name: numbers[retriever] for name, (_, numbers) in STORES.items()}
    assert rank(world, "--retriever", retriever, "--top_k", "20") == 0


@pytest.mark.parametrize("retriever", BOTH)
@pytest.mark.parametrize("claim", [*ODD_CLAIMS.values(), "is it the?", "?!", "A ferry sank. " * 5_000])
def test_odd_claims_find_what_is_there(tmp_path: Path, retriever: str, claim: str) -> None:
    texts = ["The ferry was late.", "Nobody knows why.", "It was the mayor."]
    world = write_world(tmp_path, [claim], [texts])
    assert rank(world, "--retriever", retriever) == 0
    (ranked,) = read_ranked(world.output)
    assert ranked.claim == claim
    assert sorted(one.sentence for one in ranked.sentences) == sorted(texts)


@pytest.mark.parametrize("retriever", BOTH)
def test_one_of_many_and_more_than_there_are(tmp_path: Path, retriever: str) -> None:
    world = write_world(tmp_path)
    assert rank(world, "--retriever", retriever, "--top_k", "1") == 0
    assert [len(claim.sentences) for claim in read_ranked(world.output)] == [1, 1, 1, 1]
    assert rank(world, "--retriever", retriever, "--top_k", "1000000", "--overwrite") == 0
    most = {"bm25": [3, 4, 3, 1], "hybrid": [3, 3, 3, 1]}  # one of claim 1's sentences stands there twice
    assert [len(claim.sentences) for claim in read_ranked(world.output)] == most[retriever]


@pytest.mark.parametrize("top_k", ["0", "-1", "ten"])
@pytest.mark.parametrize("retriever", BOTH)
def test_a_k_that_is_none(tmp_path: Path, retriever: str, top_k: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        rank(write_world(tmp_path), "--retriever", retriever, "--top_k", top_k)
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("retriever", BOTH)
def test_bad_claims_and_bad_pages_fail_alone(tmp_path: Path, retriever: str) -> None:
    world = write_world(tmp_path, ["A ferry sank.", " ", "Prices doubled.", "The river froze."])
    world.page_file(2).write_bytes(b'{"url": "u", "url2text": ["one"')
    world.page_file(3).unlink()
    assert rank(world, "--retriever", retriever, "-e", "4") == 1
    assert failed(world.output) == [1, 2, 3]
    assert [len(claim.sentences) for claim in read_ranked(world.output)] == [3, 0, 0, 0]


def test_a_damaged_log_fails_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = write_world(tmp_path)
    (world.store / "1.log.jsonl").write_bytes(b'{"row": 0, "url": "u"}\n{"row": "one"}\n')
    assert rank(world, "--retriever", "hybrid") == 1
    assert failed(world.output) == [1]
    assert f"{world.store / '1.log.jsonl'}, line 2, field row: Expected `int`, got `str`" in capsys.readouterr().err
    assert [len(claim.sentences) for claim in read_ranked(world.output)] == [3, 0, 3, 1]


@pytest.mark.parametrize("retriever", BOTH)
def test_a_zip_gives_the_same_bytes(tmp_path: Path, retriever: str) -> None:
    world = write_world(tmp_path)
    assert rank(world, "--retriever", retriever) == 0
    expected = lines_of(world.output)
    with zipfile.ZipFile(tmp_path / "dev.zip", "w") as archive:
        for number in range(4):
            archive.writestr(f"output_dev/{number}.json", world.page_file(number).read_bytes())
    assert rank(world, "--retriever", retriever, "-k", str(tmp_path / "dev.zip"), "--overwrite") == 0
    assert lines_of(world.output) == expected
    names = sorted(path.name for path in tmp_path.glob("dev.zip.index/*"))
    assert names == ([f"{number}.vectors" for number in range(4)] if retriever == "hybrid" else [])


def test_claims_that_share_all_pages(tmp_path: Path) -> None:
    claims = [f"Claim {number}: the ferry sank." for number in range(40)]
    world = write_world(tmp_path, claims, [["The ferry sank at noon.", "It was May.", "Nobody knows."]] * 40)
    assert rank(world, "--retriever", "hybrid") == 0
    ranked = read_ranked(world.output)
    assert [claim.claim_id for claim in ranked] == list(range(40))
    assert all(len(claim.sentences) == 3 for claim in ranked)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--encoder", "x"), "--encoder works with --retriever hybrid only, not with bm25"),
        (("--vectors", "int8"), "--vectors works with --retriever hybrid only, not with bm25"),
        (("--hyde",), "--hyde works with --retriever hybrid only, not with bm25"),
        (("--llm", "smollm2"), "--llm works with --retriever hybrid only, not with bm25"),
        (("--keep_fact_check",), "--keep_fact_check works with --retriever hybrid only, not with bm25"),
        (("--keep_later_pages",), "--keep_later_pages works with --retriever hybrid only, not with bm25"),
        (("--exclude_urls", "f", "--retriever", "rank_bm25"),
         "--exclude_urls works with --retriever hybrid only, not with rank_bm25"),
        (("--llm", "smollm2", "--retriever", "hybrid"),
         "--llm works with --hyde only: without it no language model is asked"),
        (("--device", "cuda", "--retriever", "hybrid"),
         "--device works with --hyde only: without it no language model is asked"),
        (("--dtype", "float32"), "--dtype works with --hyde only: without it no language model is asked"),
        (("--batch_file", "b"), "--batch_file works with --hyde only: without it no language model is asked"),
        (("--exclude_urls", "no such file", "--retriever", "hybrid"), "no such file: not found"),
    ],
)  # fmt: skip
def test_flags_that_would_do_nothing(
    tmp_path: Path, flags: Sequence[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    world = write_world(tmp_path)
    assert rank(world, *flags) == 2
    assert capsys.readouterr().err == f"error: {message}\n"
    assert not list(world.output.parent.glob("*"))


def test_index_dir_and_no_index_exclude_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        rank(write_world(tmp_path), "--index_dir", str(tmp_path), "--no_index")
    assert caught.value.code == 2
    assert "argument --no_index: not allowed with argument --index_dir" in capsys.readouterr().err


def test_an_encoder_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()
    assert rank(write_world(tmp_path), "--retriever", "hybrid", "--encoder", str(tmp_path)) == 2
    message = f"error: {tmp_path}: not a sentence-transformers model: it has no modules.json\n"
    assert capsys.readouterr().err == message


def test_a_claim_may_be_ranked_without_any_page(tmp_path: Path) -> None:
    world = write_world(tmp_path, ["A ferry sank."])
    world.page_file(0).write_bytes(encode_lines([Document(url="", url2text=[]), Document(url="u", url2text=[])]))
    world.claims.write_bytes(encode_list([Claim("A ferry sank.", claim_date="yesterday", speaker="")]))
    assert rank(world, "--retriever", "hybrid") == 0
    assert read_ranked(world.output)[0].sentences == []
