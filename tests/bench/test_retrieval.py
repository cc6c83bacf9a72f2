"""The pools, systems and sums of `bench.retrieval`, on an invented corpus."""

from pathlib import Path

import msgspec
import pytest

from bench.retrieval.corpus import Corpus, collect, read_dev, read_train
from bench.retrieval.cost import measured
from bench.retrieval.measures import Found, Judge
from bench.retrieval.numbered_once import numbered_once
from bench.retrieval.pools import ALL, OWN, Pool, pools
from bench.retrieval.summary import summarise
from bench.retrieval.systems import given, systems
from src.records import Answer, Claim, Question, Sentence, Verdict
from src.retrieval.leakage.filters import read_leakage
from src.store import write_whole
from src.text import numbered_words

ARTICLE = "https://facts.example/penguins"
CLAIMS = [
    Claim(
        claim="Penguins fly to Norway.",
        claim_id=0,
        label=Verdict.REFUTED,
        fact_checking_article=ARTICLE,
        questions=[
            Question("Do they?", [Answer("They swim thirty kilometres daily.", source_url="http://a.example/1")])
        ],
    ),
    Claim(
        claim="Norway has a king.", claim_id=1, label=Verdict.SUPPORTED, questions=[Question("Who?", [Answer("No")])]
    ),
]
FILES = {
    0: [
        Sentence("Penguins swim thirty kilometres.", "https://www.a.example/1/"),
        Sentence("Penguins never fly to Norway.", ARTICLE),
        Sentence("Advertisement", "http://a.example/2"),
    ],
    1: [
        Sentence("The king of Norway met penguins that fly.", f"https://web.archive.org/web/2020/{ARTICLE}"),
        Sentence("Advertisement", "http://a.example/2"),
        Sentence("Advertisement", "http://b.example"),
    ],
}
UNATTRIBUTED = {0: [Sentence("Penguins walk.", "")], 1: [Sentence("Harald is king.", ""), Sentence("Oslo.", "")]}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    write_whole(tmp_path / "claims.json", msgspec.json.encode(CLAIMS))
    return collect(CLAIMS, FILES, UNATTRIBUTED, read_leakage(tmp_path / "claims.json", None), {0: FILES[0]})


def texts(pool: Pool) -> list[str]:
    return sorted(one.sentence for one in pool.sentences)


def test_a_sentence_of_a_page_stands_once_and_the_article_nowhere(corpus: Corpus) -> None:
    assert len(corpus.sentences) == 8
    assert [corpus.sentences[number].sentence for number in corpus.files[0]] == [
        "Penguins swim thirty kilometres.",
        "Advertisement",
    ]
    assert len(corpus.refused[0]) == 2, "also the archived copy in the other claim's file"
    assert [one.sentence for one in corpus.hero[0]] == ["Penguins swim thirty kilometres.", "Advertisement"]


def test_own_pools_hold_the_file_alone(corpus: Corpus) -> None:
    first, second = pools(corpus, OWN, CLAIMS, seed=0)
    assert texts(first) == ["Advertisement", "Penguins swim thirty kilometres."]
    assert texts(second) == ["Advertisement", "Advertisement", "The king of Norway met penguins that fly."]


def test_larger_pools_add_what_is_the_claims_first(corpus: Corpus) -> None:
    own = ["Advertisement", "Penguins swim thirty kilometres.", "Penguins walk."]
    (pool,) = pools(corpus, "3", CLAIMS[:1], seed=0)
    assert texts(pool) == own
    drawn = [texts(*pools(corpus, "4", CLAIMS[:1], seed)) for seed in range(20)]
    assert {tuple(sorted(set(found) - set(own))) for found in drawn} == {(), ("Harald is king.",), ("Oslo.",)}
    (pool,) = pools(corpus, "1000", CLAIMS[:1], seed=0)
    assert len(pool.sentences) == len(corpus.sentences) - 2


def test_the_pool_of_all_refuses_the_article_to_its_claim_only(corpus: Corpus) -> None:
    (pool,) = pools(corpus, ALL, CLAIMS, seed=0)
    assert sorted(pool.sentences[place].sentence for place in pool.refused(0)) == [
        "Penguins never fly to Norway.",
        "The king of Norway met penguins that fly.",
    ]
    assert pool.refused(1) == frozenset()


def test_a_seed_gives_one_order(corpus: Corpus) -> None:
    orders = [[one.sentence for one in next(pools(corpus, ALL, CLAIMS, seed)).sentences] for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.parametrize("name", systems().keys())
def test_systems_rank_what_is_allowed(name: str, corpus: Corpus) -> None:
    (pool,) = pools(corpus, ALL, CLAIMS, seed=0)
    rank = systems(corpus)[name](pool.sentences)
    refused = pool.refused(0)
    everything = rank(CLAIMS[0], 100, refused)
    assert sorted([*everything, *refused]) == list(range(len(pool.sentences)))
    assert len(rank(CLAIMS[0], 3, refused)) == 3
    assert systems()[name](pool.sentences)(CLAIMS[0], 100, refused) == everything


def test_bm25_on_words_cut_once_is_bm25(corpus: Corpus) -> None:
    once = numbered_once([one.sentence for one in corpus.sentences], numbered_words)
    for pool in (*pools(corpus, "5", CLAIMS, seed=0), *pools(corpus, OWN, CLAIMS, seed=1)):
        there = [one.sentence for one in pool.sentences]
        ours, direct = once(there), numbered_words(there)
        assert list(ours.vocabulary.items()) == list(direct.vocabulary.items())
        assert (ours.numbers.tolist(), ours.lengths.tolist()) == (direct.numbers.tolist(), direct.lengths.tolist())
    assert once([]).vocabulary == {}


def test_the_longest_of_the_own_file_need_no_pool(corpus: Corpus) -> None:
    tens = given(corpus, ALL, 1)["longest own"]
    assert tens[0][0].sentence == "Penguins swim thirty kilometres."


def test_what_is_found_is_counted(corpus: Corpus) -> None:
    judge = Judge(corpus)
    (pool,) = pools(corpus, ALL, CLAIMS, seed=0)
    found = judge(0, [FILES[0][0], FILES[1][2], UNATTRIBUTED[1][0]], pool)
    assert (found.answers, found.together, found.single) == (1, 1, 1)
    assert (found.gold_pages, found.pages) == (1, 1)
    assert (found.own, found.ranked) == (2, 3)
    assert 0 < judge(0, [UNATTRIBUTED[1][0]], pool).meteor < found.meteor < 1
    nothing = judge(1, [], pool)
    assert (nothing.answers, nothing.gold_pages, nothing.ranked, nothing.meteor) == (0, 0, 0, 0.0)


def test_shares_are_sums_by_sums() -> None:
    def found(together: int, answers: int) -> Found:
        return Found(answers, together, 0, 0, 0, 10, 10, 0.5)

    better = [[found(2, 2), found(1, 4)] * 40, [found(2, 2), found(3, 4)] * 40]
    worse = [[found(1, 2), found(1, 4)] * 40] * 2
    summary = summarise(better, worse)
    assert summary.shares["together"].value == pytest.approx(4 / 6, abs=1e-5)
    assert summary.by_seed["together"] == pytest.approx([3 / 6, 5 / 6], abs=1e-5)
    assert summary.over["together"].value == pytest.approx(2 / 6, abs=1e-5)
    assert summary.times["together"].value == pytest.approx(2.0, abs=1e-5)
    assert 0 < summary.over["together"].low < 2 / 6 < summary.over["together"].high
    assert summary.shares["METEOR"].value == summary.shares["METEOR"].low == 0.5
    assert str(summary.shares["gold pages"].value) == "nan"


def test_a_system_is_no_better_than_itself() -> None:
    claims = [Found(3, number % 4, 0, 0, 0, 10, number % 10, 0.1 * (number % 7)) for number in range(60)]
    over = summarise([claims], [claims]).over
    assert [(figure.value, figure.low, figure.high) for name, figure in over.items() if name != "gold pages"] == [
        (0, 0, 0)
    ] * 4


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux can forget the peak of memory")
def test_cost_is_that_of_one_claim_in_its_own_process(shared_data: Path) -> None:
    cost = measured("dev", "1000", "bm25", 2)
    assert cost.sentences == 1000
    assert cost.seconds > 0
    assert 50_000_000 < cost.before <= cost.peak


def test_real_corpora(shared_data: Path) -> None:
    dev = read_dev(shared_data / "averitec")
    assert (len(dev.claims), len(dev.hero)) == (500, 500)
    assert (sum(map(len, dev.files.values())), sum(map(len, dev.unattributed.values()))) == (24165, 25716)
    train = read_train(shared_data / "averitec")
    assert (len(train.claims), len(train.sentences)) == (998, 9193)
