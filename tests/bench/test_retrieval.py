"""The pools, systems and sums of `bench.retrieval`, on an invented corpus."""

import sys
from pathlib import Path

import msgspec
import pytest

from bench.retrieval.corpus import Corpus, collect, read_dev, read_train, read_train_short
from bench.retrieval.corpus_vectors import corpus_vectors
from bench.retrieval.cost import measured
from bench.retrieval.hybrid import PARTS, Hybrids
from bench.retrieval.measures import Judge, SentenceCounts
from bench.retrieval.numbered_once import numbered_once
from bench.retrieval.pools import ALL, OWN, Pool, pools
from bench.retrieval.shortened import shortened
from bench.retrieval.summary import summarise
from bench.retrieval.systems import BM25_NAME, System, baselines, given, published
from src.atomic_file import write_whole
from src.records import Answer, Claim, Question, Sentence, Verdict
from src.reranking.hybrid.settings import Settings
from src.retrieval.leakage import read_leakage
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
    assert {tuple(sorted(set(sentences) - set(own))) for sentences in drawn} == {(), ("Harald is king.",), ("Oslo.",)}
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


def shown(system: System, corpus: Corpus) -> list[str]:
    """What the first claim is shown when it asks for everything, after checking that nothing is refused or doubled."""
    (pool,) = pools(corpus, ALL, CLAIMS, seed=0)
    rank = system(pool.sentences)
    refused = pool.refused(0)
    everything = rank(CLAIMS[0], 100, refused)
    assert len(set(everything)) == len(everything)
    assert not set(everything) & refused
    assert len(rank(CLAIMS[0], 3, refused)) == 3
    return sorted(pool.sentences[place].sentence for place in everything)


ALLOWED = ["Advertisement", "Advertisement", "Harald is king.", "Oslo.", "Penguins swim thirty kilometres.",
           "Penguins walk."]  # fmt: skip


@pytest.mark.parametrize("name", [BM25_NAME, *baselines()])
def test_systems_rank_what_is_allowed(name: str, corpus: Corpus) -> None:
    assert shown(published(corpus) if name == BM25_NAME else baselines()[name], corpus) == ALLOWED


def test_hybrid_retrieval_without_a_part_ranks_what_is_allowed(corpus: Corpus, minilm: Path, tmp_path: Path) -> None:
    hybrids = Hybrids(corpus, tmp_path)
    for settings in (Settings(), *PARTS.values()):
        assert shown(hybrids.system(settings), corpus) == (ALLOWED if settings.same == 1 else ALLOWED[1:])


def test_a_hypothetical_fact_check_is_looked_for(corpus: Corpus, minilm: Path, tmp_path: Path) -> None:
    (pool,) = pools(corpus, ALL, CLAIMS, seed=0)
    hybrids, settings = Hybrids(corpus, tmp_path), Settings(lexical=1, hypothetical=5, substance_words=0, feedback=0)
    shares = [
        pool.sentences[hybrids.system(settings, written)(pool.sentences)(CLAIMS[1], 1, frozenset())[0]].sentence
        for written in ({}, {1: "An advertisement."})
    ]
    assert shares == ["The king of Norway met penguins that fly.", "Advertisement"]


def test_vectors_of_a_corpus_are_made_once(corpus: Corpus, minilm: Path, tmp_path: Path) -> None:
    assert corpus_vectors(corpus, tmp_path).counts.encoded == 9
    assert corpus_vectors(corpus, tmp_path).counts.encoded == 0


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
    judged = judge(0, [FILES[0][0], FILES[1][2], UNATTRIBUTED[1][0]], pool)
    assert (judged.answers, judged.together, judged.single) == (1, 1, 1)
    assert (judged.gold_pages, judged.pages) == (1, 1)
    assert (judged.own, judged.ranked) == (2, 3)
    assert 0 < judge(0, [UNATTRIBUTED[1][0]], pool).meteor < judged.meteor < 1
    nothing = judge(1, [], pool)
    assert (nothing.answers, nothing.gold_pages, nothing.ranked, nothing.meteor) == (0, 0, 0, 0.0)


def test_shares_are_sums_by_sums() -> None:
    def counts(together: int, answers: int) -> SentenceCounts:
        return SentenceCounts(answers, together, 0, 0, 0, 10, 10, 0.5)

    better = [[counts(2, 2), counts(1, 4)] * 40, [counts(2, 2), counts(3, 4)] * 40]
    worse = [[counts(1, 2), counts(1, 4)] * 40] * 2
    summary = summarise(better, {"worse": worse})
    worse_by = summary.versus["worse"]
    assert summary.shares["together"].value == pytest.approx(4 / 6, abs=1e-5)
    assert summary.by_seed["together"] == pytest.approx([3 / 6, 5 / 6], abs=1e-5)
    assert worse_by.over["together"].value == pytest.approx(2 / 6, abs=1e-5)
    assert worse_by.times["together"].value == pytest.approx(2.0, abs=1e-5)
    assert 0 < worse_by.over["together"].low < 2 / 6 < worse_by.over["together"].high
    assert summary.shares["METEOR"].value == summary.shares["METEOR"].low == 0.5
    assert str(summary.shares["gold pages"].value) == "nan"


def test_a_system_is_no_better_than_itself() -> None:
    claims = [SentenceCounts(3, number % 4, 0, 0, 0, 10, number % 10, 0.1 * (number % 7)) for number in range(60)]
    over = summarise([claims], {"itself": [claims]}).versus["itself"].over
    assert [(figure.value, figure.low, figure.high) for name, figure in over.items() if name != "gold pages"] == [
        (0, 0, 0)
    ] * 4


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says the peak of memory in kilobytes")
def test_cost_is_that_of_the_step_in_its_own_process(corpus: Corpus) -> None:
    cost = measured(corpus, ALL, "bm25", CLAIMS[0])
    assert cost.sentences == 6
    assert {type(run.peak) for run in (cost.cold, cost.again)} == {int}
    assert 20_000_000 < cost.start.peak < 2_000_000_000
    assert cost.start_again.seconds > 0


def test_long_sentences_are_cut_where_a_clause_begins() -> None:
    long = [Sentence(f"The {n} penguins of the south swim all day long, and the king of Norway met some of them.", "")
            for n in range(200)]  # fmt: skip
    cut = [shortened(one) for one in long]
    assert [shortened(one) for one in long] == cut != [shortened(one, seed=1) for one in long]
    whole = [parts for parts in cut if len(parts) == 1]
    assert 30 < len(whole) < 90
    assert {len(parts) for parts in cut} == {1, 2}
    (first,) = {parts[1].sentence for parts in cut if len(parts) == 2}
    assert first == "and the king of Norway met some of them."
    assert shortened(Sentence("Short, and so it stays.", "")) == [Sentence("Short, and so it stays.", "")]


def test_real_corpora(shared_data: Path) -> None:
    dev = read_dev(shared_data / "averitec")
    assert (len(dev.claims), len(dev.hero)) == (500, 500)
    assert (sum(map(len, dev.files.values())), sum(map(len, dev.unattributed.values()))) == (24165, 25716)
    train = read_train(shared_data / "averitec")
    assert (len(train.claims), len(train.sentences)) == (998, 9193)
    short = read_train_short(shared_data / "averitec")
    assert len(short.sentences) > 14_000
