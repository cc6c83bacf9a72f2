"""The passages that are selected for a verdict."""

from src.canonical_url import site
from src.records import Side
from src.stance.records import Passage, Stance
from src.stance.selection import selected


def passages(*urls: str) -> list[Passage]:
    return [Passage(f"Text {number}.", url) for number, url in enumerate(urls)]


def stance(entail: float, contradict: float, side: Side = Side.NEITHER) -> Stance:
    return Stance(side, entail, contradict)


FOR, AGAINST, NOTHING = stance(0.9, 0.05, Side.FOR), stance(0.05, 0.8, Side.AGAINST), stance(0.1, 0.1)
REPEATS = stance(0.99, 0.0, Side.REPEATS)


def test_what_moves_the_verdict_comes_first() -> None:
    chosen = selected(
        passages("https://a.example", "https://b.example", "https://c.example"), [NOTHING, NOTHING, FOR], 2
    )
    assert chosen[0] == 2


def test_both_sides_are_chosen_where_both_are_there() -> None:
    stances = [FOR, FOR, FOR, AGAINST]
    chosen = selected(passages(*(f"https://{name}.example" for name in "abcd")), stances, 2)
    assert chosen == [0, 3]


def test_what_only_repeats_the_claim_comes_last() -> None:
    chosen = selected(passages("https://a.example", "https://b.example"), [REPEATS, stance(0.3, 0.4)], 2)
    assert chosen == [1, 0]


def test_several_sites_before_one() -> None:
    near = stance(0.5, 0.0, Side.FOR)
    chosen = selected(passages("https://a.example/1", "https://a.example/2", "https://b.example"), [near] * 3, 2)
    assert chosen == [0, 2]


def test_texts_are_chosen_once_and_never_empty() -> None:
    same = [Passage("One text.", "a"), Passage("one  text.", "b"), Passage("", "c"), Passage("Another.", "d")]
    assert sorted(selected(same, [FOR, FOR, FOR, NOTHING], 4)) == [0, 3]


def test_at_most_the_requested_number_is_chosen() -> None:
    assert selected([], [], 3) == []
    assert len(selected(passages("a", "b", "c"), [FOR, AGAINST, NOTHING], 1)) == 1


def test_an_archived_page_is_of_its_own_site() -> None:
    assert site("https://web.archive.org/web/2020/https://news.example/a") == site("https://news.example/b")
