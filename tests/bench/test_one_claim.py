"""`bench.one_claim`: the store that it makes, and its table."""

from bench.one_claim import Measured, Result, store_of, table
from bench.retrieval.corpus import Corpus, collect
from bench.retrieval.cost import Run
from src.records import Claim, Sentence
from src.retrieval.leakage import Leakage

CLAIM = Claim("Penguins fly.", 0)


def corpus() -> Corpus:
    files = {0: [Sentence(f"Penguin {number} swims far away.", "http://a.example") for number in range(5)]}
    return collect([CLAIM], files, {}, Leakage())


def test_a_store_has_real_sentences_first_and_then_recombined_ones() -> None:
    store = store_of(CLAIM, corpus(), 60)
    assert len(store) == 60
    assert {one.sentence for one in store[:5]} == {f"Penguin {number} swims far away." for number in range(5)}
    assert {one.url for one in store[5:]} == {"https://0.example/", "https://1.example/"}
    assert len(store_of(CLAIM, corpus(), 3)) == 3
    assert store == store_of(CLAIM, corpus(), 60)


def test_the_table_has_medians_and_their_limit() -> None:
    def measured(seconds: float) -> Measured:
        cold = {"retrieval": Run(seconds, 10**8), "verdict": Run(1.0, 10**8)}
        return Measured(0, 60, 3, "Refuted", cold, {name: Run(0.5, 10**8) for name in cold})

    lines = table(Result("here", 60, 30.0, [measured(1.0), measured(2.0), measured(9.0)])).splitlines()
    assert lines[2] == "| retrieval | 2.0 | 0.5 | 100 |"
    assert lines[4] == "| all | 3.0 of 30 | 1.0 | |"
