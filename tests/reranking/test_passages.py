"""Sentences become passages with what is around them on the page, and its heading."""

from src.records import Document, Reason
from src.reranking.hybrid.passages import LONGEST_HEADING, MOST_WORDS, SHORT_PAGE, as_passages
from src.reranking.hybrid.retrieval import Hit

WELL = ["The well cures migraine, a leaflet says.", "That is false.", "Doctors agree."]
LONG = [f"{place} {'word ' * 49}".strip() for place in range(9)]


def passages(places: list[int], *pages: list[str], most: int = 10, most_words: int = MOST_WORDS) -> list[str]:
    """The texts; page N has the URL `uN`."""
    documents = [Document(url=f"u{number}", url2text=page) for number, page in enumerate(pages)]
    passages = as_passages([Hit(place, Reason(1.0, 1.0, 1, 1.0, 1)) for place in places], documents, most, most_words)
    assert all((one.before, one.after) == ("", "") for one in passages)
    return [f"{one.url}: {one.sentence}" for one in passages]


def test_of_a_short_page_all_is_shown() -> None:
    assert passages([1], WELL, most_words=2) == [f"u0: {' '.join(WELL)}"]
    page = ["word " * (SHORT_PAGE - 2), "The end."]
    assert passages([1], page, most_words=2) == [f"u0: {' '.join(page)}"]
    assert passages([1], [*page, "Or not."], most_words=2) == ["u0: The end."]


def test_a_sentence_of_an_earlier_passage_is_no_passage_of_its_own() -> None:
    assert passages([4, 5, 0], WELL, WELL) == [f"u1: {' '.join(WELL)}", f"u0: {' '.join(WELL)}"]


def test_the_next_one_comes_in_its_place() -> None:
    assert passages([4, 5, 0], WELL, WELL, most=2) == [f"u1: {' '.join(WELL)}", f"u0: {' '.join(WELL)}"]
    assert passages([4, 0], WELL, WELL, most=1) == [f"u1: {' '.join(WELL)}"]


def test_a_sentence_that_is_twice_on_a_page_is_found_twice() -> None:
    page = [*LONG[:3], "It is.", "Red.", *LONG[3:6], "It is.", "Blue."]
    assert passages([3, 8], page, most_words=3) == ["u0: It is. Red.", "u0: It is. Blue."]


def test_a_page_that_is_stored_twice_gives_one_passage() -> None:
    documents = [Document(url="u", url2text=WELL)] * 2
    passages = as_passages([Hit(place, Reason(1.0, 1.0, 1, 1.0, 1)) for place in (0, 5)], documents, 10)
    assert [one.sentence for one in passages] == [" ".join(WELL)]


def test_it_grows_on_both_sides_while_there_is_room() -> None:
    assert passages([4], LONG, most_words=150) == [f"u0: {' '.join(LONG[3:6])}"]
    assert passages([4], LONG, most_words=100) == [f"u0: {' '.join(LONG[3:5])}"]
    assert passages([8], LONG, most_words=100) == [f"u0: {' '.join(LONG[7:])}"]
    assert passages([4], LONG, most_words=10) == [f"u0: {LONG[4]}"]


def test_pages_do_not_run_into_each_other() -> None:
    assert passages([3], WELL, ["Another page."]) == ["u1: Another page."]


def test_the_heading_stands_before_it() -> None:
    about = f"{LONG[0]} grapes"
    page = ["Grapes and dogs", about, *LONG[1:]]
    assert passages([5], page, most_words=50) == [f"u0: Grapes and dogs … {LONG[4]}"]
    assert passages([1], page, most_words=51) == [f"u0: Grapes and dogs {about}"]
    assert passages([0], page, most_words=50) == ["u0: Grapes and dogs"]


def test_a_menu_is_no_heading() -> None:
    assert passages([5], ["Skip to main content", *LONG], most_words=50) == [f"u0: {LONG[4]}"]
    assert passages([5], ["...", *LONG], most_words=50) == [f"u0: {LONG[4]}"]


def test_a_long_first_sentence_is_no_heading() -> None:
    page = ["word " * (LONGEST_HEADING + 1), *LONG]
    assert passages([5], page, most_words=50) == [f"u0: {LONG[4]}"]
