"""A drawn study in a real browser: guidelines, rounds, controls, all of it by keyboard."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from src.explanation import annotate
from src.explanation.annotation.ratings import Rating
from src.store import encode_lines, read_records
from tests.accessibility import violations
from tests.browsing import watched
from tests.explanation.annotation.studies import claims, rated, right
from tests.serving.served import served

pytestmark = pytest.mark.long

STUDY = claims()


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    return tmp_path / "r.jsonl"


@pytest.fixture
def page(tmp_path: Path, project_root: Path, ratings: Path, browser: Browser) -> Iterator[Page]:
    study, key = tmp_path / "study.json", tmp_path / "key.jsonl"
    study.write_bytes(msgspec.json.encode(STUDY))
    key.write_bytes(encode_lines(rated("author", STUDY.keyed, right)))
    flags = ("--port", "0", "--study", str(study), "--key", str(key), "-o", str(ratings))
    with served(project_root, annotate.__name__, *flags) as (address, _), watched(browser, address) as page:
        yield page


def begin(page: Page, name: str) -> None:
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Guidelines")).to_be_focused()


def press(page: Page, button: str) -> None:
    page.get_by_role("button", name=button).focus()
    page.keyboard.press("Enter")


def place(page: Page, text: str) -> None:
    expect(page.locator("#place")).to_have_text(re.compile(re.escape(text)))


def rate(page: Page, *, is_right: bool = True) -> None:
    """Tick an extrinsic entity in the second sentence where there is one."""
    second = page.locator("fieldset").nth(1)
    if is_right and second.count():
        second.locator("input").first.focus()
        page.keyboard.press("2")
    page.keyboard.press("Control+Enter")


def test_guidelines_have_the_nine_kinds_with_examples_and_a_warning(page: Page) -> None:
    begin(page, "ann")
    expect(page.locator("#message")).to_contain_text("Qualification, round 1 of 2: 2 explanations")
    rows = page.locator("#examples tr")
    expect(rows).to_have_count(9)
    assert [row.get_by_role("rowheader").inner_text()[:2] for row in rows.all()] == [
        "IE", "EE", "IV", "EV", "IN", "EN", "RC", "OG", "IR",
    ]  # fmt: skip
    assert all(cell.inner_text().strip() for cell in page.locator("#examples td").all())
    warning = page.locator(".warning").inner_text()
    assert "false" in warning
    assert "distress" in warning
    assert "by the evidence beside it alone" in " ".join(warning.split())
    assert "What you know from elsewhere does not count" in " ".join(page.locator("#guide").inner_text().split())
    assert violations(page) == []
    press(page, "Go on to the explanations")
    place(page, "Qualification: Explanation 1 of 2, claim")
    press(page, "Next")
    place(page, "Qualification: Explanation 2 of 2, claim")
    press(page, "Guidelines")
    expect(rows).to_have_count(9)
    assert violations(page) == []
    press(page, "Go on to the explanations")
    place(page, "Qualification: Explanation 2 of 2, claim")


def test_an_annotator_qualifies_and_rates_a_seat_by_keyboard(page: Page, ratings: Path) -> None:
    begin(page, "ann")
    press(page, "Go on to the explanations")
    for expected in ("Qualification, round 2 of 2: 2 explanations", "You have qualified. 8 explanations follow."):
        place(page, "Qualification: Explanation 1 of 2")
        rate(page)
        place(page, "Qualification: Explanation 2 of 2")
        rate(page)
        expect(page.get_by_role("heading", name=expected)).to_be_focused()
        assert violations(page) == []
        press(page, "Go on")
    for number in range(1, 9):
        place(page, f"Explanation {number} of 8")
        rate(page)
        if number == 3:
            place(page, "Explanation 4 of 8")
            page.reload()
            expect(page.locator("#count")).to_have_text("3 of 8 rated")
    expect(page.get_by_role("heading", name="All is rated")).to_be_visible()
    assert not re.search("control|key|madr", page.locator("main").inner_text(), re.IGNORECASE)
    lines = read_records(ratings, Rating)
    assert [len([one for one in lines if one.seat is seat]) for seat in (msgspec.UNSET, 0)] == [4, 8]


def test_an_annotator_who_does_not_qualify_gets_a_message_and_no_claim(page: Page, ratings: Path) -> None:
    begin(page, "bob")
    press(page, "Go on to the explanations")
    place(page, "Qualification: Explanation 1 of 2")
    rate(page, is_right=False)
    place(page, "Qualification: Explanation 2 of 2")
    rate(page, is_right=False)
    expect(page.get_by_role("heading", name="Thank you. Your answers differ too often")).to_be_focused()
    expect(page.get_by_role("button", name="Go on")).to_be_hidden()
    page.reload()
    expect(page.get_by_role("heading", name="Thank you. Your answers differ too often")).to_be_visible()
    assert len(read_records(ratings, Rating)) == 2


def test_the_authors_name_is_refused(browser: Browser, page: Page) -> None:
    with browser.new_context() as context:  # a refused request is told in the console
        other = context.new_page()
        other.goto(page.url)
        other.keyboard.type("author")
        other.keyboard.press("Enter")
        expect(other.get_by_role("status")).to_contain_text("is the author's name")


@pytest.mark.parametrize("width", [390, 1280])
def test_guidelines_are_no_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    begin(page, "ann")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
