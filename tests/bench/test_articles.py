"""`bench.articles`: halves, scores of rules, claims beside gold ones, and labels by hashes."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from bench.articles.__main__ import ARTICLES, main
from bench.articles.halves import Half, half_of
from bench.articles.readable import (
    Given,
    GoldArticle,
    GoldSentence,
    Readable,
    as_they_are,
    counts,
    has_wrong_name,
    read_articles,
    readable,
)
from bench.articles.worthiness import (
    LABELS,
    Detection,
    SentenceLabel,
    claims_and_questions,
    detection,
    detections,
    labeled_sentences,
    recognized,
)
from src.errors import InputError
from src.store import encode_line, read_records

ARTICLE = GoldArticle(
    1,
    Half.DEVELOP,
    [
        GoldSentence("Anna Berg won in 2019.", ["Anna Berg won in 2019."]),
        GoldSentence("She beat Eva Holm.", ["Anna Berg beat Eva Holm."]),
        GoldSentence("What a day!", []),
    ],
)


def test_halves_are_disjoint_and_whole() -> None:
    assert (half_of("abcde", Half.DEVELOP), half_of("abcde", Half.REPORT)) == ("ace", "bd")


def test_scores_of_a_rule() -> None:
    assert detection("all", [True, True, True], [True, False, False]) == Detection("all", 3, 1, 0.3333, 1.0, 0.5)
    assert detection("none", [False], [False]) == Detection("none", 0, 0, 0.0, 0.0, 0.0)


def test_texts_are_counted_by_the_reason_of_their_first_sentence() -> None:
    found = recognized(["Oslo has 3 harbors.", "Has Oslo 3 harbors?", "The harbors are large."])
    assert (found.texts, found.recognized, found.with_name_or_number) == (3, 1, 2)
    assert found.reasons == {"a question": 1, "names and counts nothing": 1}


def test_given_claims_are_compared_with_the_gold_ones_of_their_sentence() -> None:
    right = Given("Anna Berg won in 2019.", "anna Berg  won in 2019.")
    wrong = Given("She beat Eva Holm.", "Eva Holm beat Eva Holm.")
    strange = Given("She beat Eva Holm.", "Nina Lund's friend beat Eva Holm.")
    assert counts("ours", [ARTICLE], [[right, wrong, strange]]) == Readable("ours", 2, 3, 1, 1, 0)
    assert counts("as it is", [ARTICLE], [as_they_are(ARTICLE)]) == Readable("as it is", 2, 3, 1, 0, 1)


def test_an_owner_in_the_gold_claim_is_no_wrong_name() -> None:
    given = Given("Her boat sank.", "Anna Berg's boat sank.")
    assert not has_wrong_name(given, ["The boat of Anna Berg sank."])
    assert has_wrong_name(given, [])


def test_labels_are_joined_with_their_texts_by_hash(tmp_path: Path) -> None:
    text = "Oslo has 3 harbors."
    (tmp_path / "news.jsonl").write_bytes(encode_line({"id": "n1", "evidence": ["Hello!", text]}))
    line = {"file": "news.jsonl", "record": "n1", "sentence": 1, "claim": True}
    labels = tmp_path / "labels.jsonl"
    labels.write_bytes(encode_line({**line, "sha256": hashlib.sha256(text.encode()).hexdigest()[:12]}))
    (sentence,) = labeled_sentences(tmp_path, labels)
    assert (sentence.text, sentence.is_claim) == (text, True)
    assert [one.recall for one in detections([sentence])] == [1.0, 1.0, 1.0]
    labels.write_bytes(encode_line({**line, "sha256": "0" * 12}))
    with pytest.raises(InputError, match="record n1, sentence 1 is not the labeled one"):
        labeled_sentences(tmp_path, labels)


def test_the_shipped_labels_are_of_the_shared_data(shared_data: Path) -> None:
    sentences = labeled_sentences(shared_data)
    assert len(sentences) == 210
    assert sum(one.is_claim for one in sentences) == 113
    claims, questions = claims_and_questions(shared_data / "averitec")
    assert (len(claims), len(questions)) == (2999, 7803)


def test_labels_hold_no_text() -> None:
    lines = LABELS.read_bytes().splitlines()
    assert {field for line in lines for field in json.loads(line)} == {"file", "record", "sentence", "sha256", "claim"}
    assert all(len(one.sha256) == 12 for one in read_records(LABELS, SentenceLabel))


def test_most_claims_of_the_developing_articles_read_alone() -> None:
    articles = read_articles(ARTICLES, Half.DEVELOP)
    rules, baseline = readable(articles)
    assert rules.wrong == 0
    assert rules.equal > 0.75 * rules.gold > 2 * baseline.equal


def test_the_articles_are_as_their_page_says() -> None:
    articles = [one for half in Half for one in read_articles(ARTICLES, half)]
    assert Counter(one.part for one in articles) == {Half.DEVELOP: 8, Half.REPORT: 7}
    assert {len(one.sentences) for one in articles} <= {6, 7, 8}
    assert all(len(sentence.claims) < 2 for one in articles for sentence in one.sentences)
    data = msgspec.json.decode(ARTICLES.read_bytes())
    assert sorted(one["id"] for one in data) == list(range(1, 16))


def test_where_the_shared_data_is_missing_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--shared", str(tmp_path), "--json", str(tmp_path / "articles.json")]) == 2
    assert "train.json: not found" in capsys.readouterr().err
    assert not (tmp_path / "articles.json").exists()
