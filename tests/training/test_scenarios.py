"""Written scenarios: their files, the passages of their pages, and the labels that the shown pages give."""

import re
from collections import Counter
from pathlib import Path
from random import Random

import msgspec
import pytest

from src.errors import InputError
from src.records import VERDICTS, Verdict
from src.stance.selection import CHOSEN
from src.store import encode_lines, read_claims
from src.text import same
from src.training.passages.held_out import checked_claims
from src.training.passages.mixed import ClaimWithPassages
from src.training.passages.scenarios import (
    HELD_OUT,
    beside,
    deciding,
    is_held_out,
    pages_of_claims,
    read_scenarios,
    scenario_claims,
    single_passages,
    whole,
)
from tests.stance.scripted import reader
from tests.training.small_scenarios import TOWNS, page, scenario, write_scenarios
from tests.word_encoder import WordEncoder

SHIPPED = Path("data_store/scenarios")


def test_all_files_of_the_folder_are_read(tmp_path: Path) -> None:
    read = read_scenarios(write_scenarios(tmp_path))
    assert [one.claim for one in read] == [f"The shop in {town} has closed." for town in TOWNS]


def test_a_folder_without_scenarios_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no scenarios"):
        read_scenarios(tmp_path)


def test_a_key_that_is_not_on_its_page_is_refused_with_its_line(tmp_path: Path) -> None:
    one = scenario("Oster")
    lost = msgspec.structs.replace(one.refutes[1], key="It snowed.")
    wrong = msgspec.structs.replace(one, refutes=[one.refutes[0], lost])
    (tmp_path / "shops.jsonl").write_bytes(encode_lines([scenario("Brell"), wrong]))
    with pytest.raises(InputError, match=r"not a part of the page's text") as caught:
        read_scenarios(tmp_path)
    assert (caught.value.line, caught.value.field) == (2, "refutes[1].key")


def test_a_scenario_with_one_page_for_a_side_is_refused(tmp_path: Path) -> None:
    one = scenario("Oster")
    (tmp_path / "shops.jsonl").write_bytes(encode_lines([msgspec.structs.replace(one, supports=one.supports[:1])]))
    with pytest.raises(InputError, match="1 pages; at least 2 are needed"):
        read_scenarios(tmp_path)


def test_shipped_scenarios_are_many_distinct_and_partly_held_out() -> None:
    shipped = read_scenarios(SHIPPED)
    assert len(shipped) == 900
    assert max(Counter(one.id for one in shipped).values()) == 1
    assert max(Counter(same(one.claim) for one in shipped).values()) == 1
    assert abs(sum(map(is_held_out, shipped)) / len(shipped) - HELD_OUT) < 0.05


def test_no_shipped_scenario_has_a_claim_that_verdicts_are_measured_on() -> None:
    measured = [
        *read_claims(Path("data_store/everyday/claims.json")),
        *read_claims(Path("data_store/sample/claims.json")),
    ]
    words = [set(same(one.claim).split()) for one in measured]
    for one in read_scenarios(SHIPPED):
        own = set(same(one.claim).split())
        assert all(len(own & other) / len(own | other) < 0.5 for other in words), one.id


CLAIM = "The bridge of Oster is open again."
LONG = page(
    "paper",
    "Headline",
    "First comes Oster. The bridge is open. Third there was Oster's bridge. Fourth there was sun. Fifth came wind.",
    "The bridge is open.",
)


def test_a_deciding_passage_always_has_the_key() -> None:
    for seed in range(50):
        passage = deciding(LONG, CLAIM, Random(seed))
        assert LONG.key in passage.text
        assert passage.url == "https://paper.example/"


def test_a_key_within_a_sentence_that_occurs_twice_is_found_where_it_stands() -> None:
    text = "Is the bridge of Oster open? No. Is it closed? No. It never was, for it was never built. So much for that."
    twice = page("paper", "Questions", text, "Is it closed? No.")
    texts = {deciding(twice, CLAIM, Random(seed)).text for seed in range(50)}
    assert all("Is it closed? No." in one for one in texts)


def test_a_passage_without_the_claims_words_becomes_the_whole_page() -> None:
    far = page("paper", "News of Oster", "The bridge is open. It rained. Ten came. They sang. They left.", "They sang.")
    assert {deciding(far, CLAIM, Random(seed)).text for seed in range(30)} == {whole(far).text}


def test_a_passage_beside_the_key_comes_behind_it() -> None:
    text = f"{LONG.text} The bridge of Oster has a roof. It is red."
    longer = msgspec.structs.replace(LONG, text=text)
    texts = {passage.text for seed in range(50) if (passage := beside(longer, CLAIM, Random(seed)))}
    assert "Fifth came wind. The bridge of Oster has a roof. It is red." in texts
    assert not any("bridge is open" in one or "First" in one for one in texts)


FOR, AGAINST, PARTLY = (
    ("shut its doors", "No shop is left"),
    ("opened an hour", "I bought this card"),
    ("The shop is shut",),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scenarios(tmp_path_factory.mktemp("scenarios"))


def _own(claim: ClaimWithPassages) -> str:
    """Return what the passages about the claim's own town say."""
    town = claim.claim.split()[3]
    return " ".join(one.text for one in claim.passages if town in one.text)


def _has(claim: ClaimWithPassages, texts: tuple[str, ...]) -> bool:
    return any(text in _own(claim) for text in texts)


def test_every_scenario_has_each_label_once(folder: Path) -> None:
    claims = scenario_claims(folder, 0, held_out=False)
    count = sum(not is_held_out(one) for one in read_scenarios(folder))
    assert Counter(one.label for one in claims) == dict.fromkeys(VERDICTS, count)


def test_the_label_is_what_the_shown_pages_say(folder: Path) -> None:
    for seed in range(4):
        for one in scenario_claims(folder, seed, held_out=False):
            sides = (_has(one, FOR), _has(one, AGAINST))
            if one.label is Verdict.CONFLICTING:
                assert sides == (True, True) or (_has(one, PARTLY) and sides == (False, False))
            else:
                assert sides == (one.label is Verdict.SUPPORTED, one.label is Verdict.REFUTED)
            assert one.passages


def test_two_versions_of_one_page_are_never_shown_together(folder: Path) -> None:
    for seed in range(4):
        for one in scenario_claims(folder, seed, held_out=False):
            assert not ("shut its doors" in _own(one) and "opened an hour" in _own(one))


def test_held_out_scenarios_are_not_trained_on_nor_their_pages(folder: Path) -> None:
    learned = [*scenario_claims(folder, 0, held_out=False), *single_passages(folder, 0, held_out=False)]
    towns = {one.claim.split()[3] for one in scenario_claims(folder, 0)}
    assert towns
    assert not towns & {one.claim.split()[3] for one in learned}
    assert not any(town in passage.text for town in towns for one in learned for passage in one.passages)


def test_single_passages_have_the_label_of_their_page(folder: Path) -> None:
    for one in single_passages(folder, 0, held_out=False):
        assert len(one.passages) == 1
        sides = {Verdict.SUPPORTED: FOR, Verdict.REFUTED: AGAINST, Verdict.CONFLICTING: PARTLY}
        assert all(_has(one, texts) is (label is one.label) for label, texts in sides.items())


def test_a_passage_with_an_answer_seldom_decides_nothing() -> None:
    """In the shipped scenarios, a passage that says "false" mostly refutes the claim."""
    claims = single_passages(SHIPPED, 0, held_out=False)
    chosen = [one for one in claims if re.search(r"\bfalse\b", one.passages[0].text)]
    assert sum(one.label is Verdict.REFUTED for one in chosen) > 0.5 * len(chosen) > 10


def test_all_labels_have_about_as_many_passages() -> None:
    claims = scenario_claims(SHIPPED, 0, held_out=False)
    means = [
        sum(len(one.passages) for one in claims if one.label is label) / sum(one.label is label for one in claims)
        for label in VERDICTS
    ]
    assert max(means) - min(means) < 0.5


def test_each_label_is_given_by_whole_pages(tmp_path: Path) -> None:
    folder = write_scenarios(tmp_path)
    labeled = pages_of_claims(folder, 0)
    held_out = [one for one in read_scenarios(folder) if is_held_out(one)]
    assert Counter(one.label for one in labeled) == dict.fromkeys(VERDICTS, len(held_out))
    scenarios = {one.claim: one for one in held_out}
    for one in labeled:
        scenario = scenarios[one.claim]
        shown = [sum(page in one.pages for page in pages) for pages in (scenario.supports, scenario.refutes)]
        if one.label is Verdict.CONFLICTING:
            assert shown == [1, 1] or scenario.partial[0] in one.pages
        else:
            assert [count > 0 for count in shown] == [one.label is Verdict.SUPPORTED, one.label is Verdict.REFUTED]
        assert all(page in one.pages for page in scenario.silent)


def test_passages_are_found_on_the_pages_and_the_best_are_chosen(tmp_path: Path) -> None:
    folder = write_scenarios(tmp_path)
    pages = pages_of_claims(folder, 0)
    checked = checked_claims(folder, 0, WordEncoder(), reader()[0])
    assert [(one.claim, one.label) for one in checked] == [(one.claim, one.label) for one in pages]
    for own, labeled in zip(checked, pages, strict=True):
        texts = [f"{page.title} {page.text}" for page in labeled.pages]
        assert 0 < len(own.passages) <= CHOSEN
        assert all(any(passage.text in text for text in texts) for passage in own.passages)
