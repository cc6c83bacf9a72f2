"""The step that ranks sentences: its file, bad claims, bad stores, ranges; nothing that is bad harms its neighbours."""

import gzip
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from nltk.tokenize import word_tokenize
from rank_bm25 import BM25Okapi

from src.knowledge_store import ClaimFile, KnowledgeStore
from src.pipeline.rank import RankSettings, rank_job
from src.records import Claim, Document
from src.reranking.bm25_sentences import main
from src.reranking.top_file import read_ranked
from src.runner import merge
from src.runner.output import Failure, failures_path
from src.store import encode_lines, encode_list, read_claims, read_records
from tests.runner.small_world import CLAIMS, ODD_CLAIMS, World, failed, lines_of, outcome, write_world


def rank(world: World, *flags: str) -> int:
    paths = ["-k", str(world.store), "-c", str(world.claims), "-o", str(world.output)]
    return main([*paths, "--quiet", *flags])


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path / "my world")


def test_the_published_line(world: World) -> None:
    assert rank(world, "--top_k", "2") == 0
    assert lines_of(world.output)[3] == (
        b'{"claim_id": 3, "claim": "Prices doubled.", "top_2": '
        b'[{"sentence": "Prices rose by 4 per cent.", "url": "https://3.example/"}]}\n'
    )
    assert lines_of(world.output)[0].startswith(
        b'{"claim_id": 0, "claim": "The river froze in May.", "top_2": '
        b'[{"sentence": "Ice covered the river in January.", "url": "https://0.example/"}, {"sentence": "In May'
    )
    assert world.leftovers() == ["result.json", "result.manifest.json"]


@pytest.mark.parametrize(("retriever", "sent"), [("bm25", []), ("hybrid", [0, 1, 2, 3])])
def test_what_loads_the_models_has_no_claims(world: World, retriever: str, sent: list[int]) -> None:
    settings = RankSettings(claim_file=world.claims, knowledge_store_dir=world.store, retriever=retriever)
    start = pickle.dumps(rank_job(settings).start)
    assert pickle.loads(start).args[2] == sent
    assert b"The river froze in May." not in start


@pytest.mark.parametrize("workers", ["1", "2"])
def test_merged_shards_are_the_undivided_run(world: World, workers: str) -> None:
    assert rank(world, "--workers", workers) == 0
    whole = world.output.read_bytes()
    world.output.unlink()
    world.page_file(3).unlink()  # the store bounds the claims
    assert [rank(world, "--workers", workers, "--shard", f"{number}/2") for number in (1, 0)] == [0, 0]
    assert merge.main([str(world.output)]) == 0
    assert world.output.read_bytes().splitlines() == whole.splitlines()[:3]


@pytest.mark.parametrize("top_k", [1, 3, 1000])
def test_the_sample_is_ranked_as_published(sample: Path, tmp_path: Path, top_k: int) -> None:
    claims, store = read_claims(sample / "claims.json"), KnowledgeStore(sample / "knowledge_store")
    flags = ["-k", str(store.path), "-c", str(sample / "claims.json"), "-o", str(tmp_path / "o.json"), "--quiet"]
    assert main([*flags, "--top_k", str(top_k), "-e", "3"]) == 0
    for claim, ranked in zip(claims, read_ranked(tmp_path / "o.json"), strict=False):
        sentences = store.sentences(claim.claim_id)
        index = BM25Okapi([word_tokenize(sentence.sentence) for sentence in sentences])
        best = np.argsort(index.get_scores(word_tokenize(claim.claim)))[::-1][:top_k]
        assert (ranked.claim_id, ranked.claim, ranked.top_k) == (claim.claim_id, claim.claim, top_k)
        assert [(one.sentence, one.url) for one in ranked.sentences] == [
            (sentences[place].sentence, sentences[place].url) for place in best
        ]


def test_zips_and_gz_give_the_same_bytes(world: World) -> None:
    assert rank(world) == 0
    expected = world.output.read_bytes()
    with zipfile.ZipFile(world.folder / "dev.zip", "w") as archive:
        for number in range(4):
            archive.writestr(f"output_dev/{number}.json", world.page_file(number).read_bytes())
    world.claims.write_bytes(gzip.compress(encode_lines([Claim(text) for text in CLAIMS])))
    assert rank(world, "-k", str(world.folder / "dev.zip"), "--overwrite") == 0
    assert world.output.read_bytes() == expected


def spoil_by(data: bytes | None) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        path.unlink()
        if data is not None:
            path.write_bytes(data)

    return spoil


GOOD = b'{"url": "u", "url2text": ["one"]}\n'


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_by(None), "the knowledge store has no file for claim 1"),
        (spoil_by(GOOD + GOOD[:15]), "line 2: the JSON ends too early"),
        (spoil_by(GOOD + b'{"url": "u", "url2text": null}\n'), "line 2, field url2text: Expected `array`, got `null`"),
        (spoil_by(b'{"url": "u", "url2text": ["a", 5]}'), "line 1, field url2text[1]: Expected `str`, got `int`"),
        (spoil_by(b"\x00" * 512), "line 1: JSON is malformed"),
    ],
)
def test_a_bad_store_file_fails_its_claim_alone(
    world: World, spoil: Callable[[Path], None], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rank(world) == 0
    good = outcome(world.output)
    whole = world.page_file(1).read_bytes()
    spoil(world.page_file(1))

    assert rank(world, "--overwrite") == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "1 of 4 claims failed" in error
    assert message in error
    (failure,) = read_records(failures_path(world.output), Failure)
    assert (failure.claim_id, failure.error, failure.step) == (1, "StoreError", "src.reranking.bm25_sentences")
    assert str(world.page_file(1)) in failure.message
    expected = good["result.json"].splitlines(keepends=True)
    expected[1] = b'{"claim_id": 1, "claim": "A ferry sank.", "top_100": []}\n'
    assert lines_of(world.output) == expected

    world.page_file(1).write_bytes(whole)
    assert rank(world) == 0
    assert outcome(world.output) == good


def test_a_second_start_tries_only_the_failed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.page_file(0).unlink()
    world.page_file(2).write_bytes(b"{")
    assert rank(world) == 1
    assert failed(world.output) == [0, 2]
    opened = []
    read = KnowledgeStore.file

    def watched(store: KnowledgeStore, claim_id: int) -> ClaimFile:
        opened.append(claim_id)
        return read(store, claim_id)

    monkeypatch.setattr(KnowledgeStore, "file", watched)
    world.page_file(2).write_bytes(GOOD)
    assert rank(world) == 1
    assert opened == [0, 2]
    assert failed(world.output) == [0]
    assert len(read_ranked(world.output)[2].sentences) == 1


def test_pages_that_changed_make_a_finished_output_anew(world: World) -> None:
    assert rank(world) == 0
    world.page_file(1).write_bytes(GOOD)
    assert rank(world) == 0
    assert [len(claim.sentences) for claim in read_ranked(world.output)] == [3, 1, 3, 1]


def test_an_empty_store_file_is_no_failure(world: World) -> None:
    world.page_file(1).write_bytes(b"")
    world.page_file(2).write_bytes(encode_lines([Document(url="u", url2text=[])]))
    assert rank(world) == 0
    assert [len(claim.sentences) for claim in read_ranked(world.output)] == [3, 0, 0, 1]


def test_a_sentence_of_five_megabytes_is_a_sentence(world: World) -> None:
    page = Document(url="u", url2text=["x" * 5_000_000, "A ferry sank."])
    world.page_file(1).write_bytes(encode_lines([page]))
    assert rank(world, "-s", "1", "-e", "2") == 0
    (claim,) = read_ranked(world.output)
    assert sorted(len(sentence.sentence) for sentence in claim.sentences) == [13, 5_000_000]


@pytest.mark.parametrize("kind", ODD_CLAIMS)
def test_odd_claims_come_through_unchanged(tmp_path: Path, kind: str) -> None:
    world = write_world(tmp_path, ["A ferry sank.", ODD_CLAIMS[kind]])
    assert rank(world) == 0
    assert [claim.claim for claim in read_ranked(world.output)] == ["A ferry sank.", ODD_CLAIMS[kind]]
    assert [len(claim.sentences) for claim in read_ranked(world.output)] == [3, 4]


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_an_empty_claim_fails_alone(tmp_path: Path, text: str) -> None:
    world = write_world(tmp_path, ["A ferry sank.", text, "Prices doubled."])
    assert rank(world) == 1
    assert failed(world.output) == [1]
    assert [claim.claim for claim in read_ranked(world.output)] == ["A ferry sank.", text, "Prices doubled."]
    assert read_ranked(world.output)[1].sentences == []


def test_results_are_keyed_by_claim_id_and_not_by_place(world: World) -> None:
    assert rank(world) == 0
    expected = outcome(world.output)
    world.claims.write_bytes(encode_list([Claim(text, number) for number, text in reversed(list(enumerate(CLAIMS)))]))
    assert rank(world) == 0
    assert outcome(world.output) == expected


def test_without_end_the_store_bounds_the_claims(world: World) -> None:
    for number in (2, 3):
        world.page_file(number).unlink()
    assert rank(world) == 0
    assert [claim.claim_id for claim in read_ranked(world.output)] == [0, 1]
    assert rank(world, "-e", "4", "--overwrite") == 1
    assert failed(world.output) == [2, 3]


@pytest.mark.parametrize(
    "flags", [("-s", "3", "-e", "3"), ("-s", "3", "-e", "1"), ("-s", "4"), ("-e", "5"), ("-s", "-1"), ("-e", "0")]
)
def test_ranges_that_are_none(world: World, flags: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert rank(world, *flags) == 2
    error = capsys.readouterr().err
    assert f"{' '.join(flags[-2:]).replace('-s', '--start').replace('-e', '--end')}: " in error
    assert error.count("\n") == 1
    assert not world.output.parent.exists()


def test_bad_inputs_exit_2_with_one_line(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert rank(world, "-c", str(world.folder / "dev.json")) == 2
    assert rank(world, "-k", str(world.folder / "none")) == 2
    assert rank(world, "-k", str(world.claims)) == 2
    world.claims.write_bytes(b'[{"claim": "a"},\n{"claim": "b", "label": "Perhaps"}]')
    assert rank(world) == 2
    world.claims.write_bytes(b"[]")
    assert rank(world) == 2
    missing, no_store, no_zip, verdict, empty = capsys.readouterr().err.splitlines()
    assert missing.endswith("bring it with: bash script/download.sh dev claims (or place your own file there)")
    assert "no knowledge store there" in no_store
    assert "not a readable zip" in no_zip
    assert "claims.json, line 2, field label: 'Perhaps' is none of Supported, Refuted, " in verdict
    assert "no claims" in empty
    assert not world.output.parent.exists()


def test_an_empty_store_folder_is_an_error(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    for path in world.store.iterdir():
        path.unlink()
    assert rank(world) == 2
    assert "no <claim_id>.json" in capsys.readouterr().err


def test_a_dry_run_with_a_bad_store_writes_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.page_file(0).unlink()
    assert rank(world, "--dry_run", "-e", "4") == 0
    assert "claims   4" in capsys.readouterr().out
    assert not world.output.parent.exists()


@pytest.mark.parametrize("top_k", ["0", "-3", "many", "1.5"])
def test_top_k_is_a_number_of_at_least_1(world: World, top_k: str) -> None:
    with pytest.raises(SystemExit) as caught:
        rank(world, "--top_k", top_k)
    assert caught.value.code == 2
