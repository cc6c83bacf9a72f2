"""The page of a check in a real browser: copying, and printing to PDF."""

import re
from itertools import combinations
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import Browser, expect

from src.check.records import Decisive, VerdictWithout
from src.records import Level, Side, Verdict
from src.report.claim_page import claim_page, summary, view_of_check
from src.stance.records import Stance
from tests.accessibility import violations
from tests.browsing import opened, watched
from tests.check.test_text import checked

pytestmark = pytest.mark.long


@pytest.fixture
def address(tmp_path: Path) -> str:
    path = tmp_path / "eels.html"
    path.write_text(claim_page(view_of_check(checked())), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("has_clipboard", [True, False])
def test_verdict_and_evidence_are_copied(browser: Browser, address: str, has_clipboard: bool) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address)
    reading = context.new_page()  # has a clipboard, whatever the other page has
    reading.goto(address)
    if not has_clipboard:
        page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.bring_to_front()
    for name, text in (
        ("Copy verdict and sources", summary(checked())),
        ("Copy evidence 2", f"\u201c{checked().prediction.evidence[1].answer}\u201d https://a.example/2"),
    ):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("status")).to_have_text("Copied")
        expect(page.get_by_role("button", name=name)).to_be_focused()
        reading.bring_to_front()
        assert reading.evaluate("navigator.clipboard.readText()") == text
        page.bring_to_front()
        page.evaluate("document.getElementById('copied').textContent = ''")
    context.close()


def test_without_script_there_are_no_dead_buttons(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text("Eels swim.")
    expect(page.get_by_role("button")).to_have_count(0)
    context.close()


def test_printed_everything_is_open_and_nothing_is_for_clicking(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    printed = page.pdf(format="A4")
    page.close()
    texts = [one.get_textpage().get_text_range() for one in pypdfium2.PdfDocument(printed)]
    text = re.sub(r"\s+", " ", " ".join(texts))
    for part in ("Eels swim.", "Does eel 3 swim?", "https://a.example/3", "404 Not Found", "the quota is used up"):
        assert part in text
    for part in ("Copy", "A checked claim", "Skip to the content"):
        assert part not in text


def marked_page(tmp_path: Path) -> str:
    """The page of a check whose verdict without each set of its three pieces is known."""
    sets = [one for size in (1, 2, 3) for one in combinations((1, 2, 3), size)]
    without = [
        VerdictWithout(one, Verdict.SUPPORTED, 0.1, Level.LEANING if 2 in one else Level.UNDECIDED) for one in sets
    ]
    made = checked(Decisive(tuple(without[:3]), None, tuple(without[3:])))
    made.stances = [Stance(Side.FOR, 0.9, 0.05), Stance(Side.AGAINST, 0.05, 0.9), Stance(Side.NEITHER, 0.05, 0.05)]
    path = tmp_path / "marked.html"
    path.write_text(claim_page(view_of_check(made)), encoding="utf-8")
    return path.as_uri()


def test_evidence_that_is_marked_as_wrong_changes_the_verdict_at_once(browser: Browser, tmp_path: Path) -> None:
    with watched(browser, marked_page(tmp_path)) as page:
        shown = page.locator("#without")
        expect(shown).to_have_text("Mark evidence as wrong or irrelevant to see the verdict without it.")
        page.get_by_label("Wrong or irrelevant: evidence 1").focus()
        page.keyboard.press("Space")
        expect(shown).to_have_text("Without [1]: Undecided")
        page.get_by_label("Wrong or irrelevant: evidence 2").check()
        expect(shown).to_have_text("Without [1], [2]: Leaning to Supported")
        expect(page.locator("li.marked")).to_have_count(2)
        text = " ".join(one.get_textpage().get_text_range() for one in pypdfium2.PdfDocument(page.pdf()))
        assert "Without [1], [2]: Leaning to Supported" in re.sub(r"\s+", " ", text)
        page.get_by_label("Wrong or irrelevant: evidence 1").uncheck()
        expect(shown).to_have_text("Without [2]: Leaning to Supported")


NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"


@pytest.mark.parametrize("script", ["", NO_STORAGE])
def test_marks_of_a_file_last_where_the_browser_keeps_them(browser: Browser, tmp_path: Path, script: str) -> None:
    with watched(browser, marked_page(tmp_path)) as page:
        page.add_init_script(script)
        page.reload()
        mark, shown = page.get_by_label("Wrong or irrelevant: evidence 1"), page.locator("#without")
        mark.check()
        expect(shown).to_have_text("Without [1]: Undecided")
        page.reload()
        expect(shown).to_contain_text("Mark evidence" if script else "Without [1]: Undecided")


def test_marks_of_another_check_at_the_same_address_are_not_taken(browser: Browser, tmp_path: Path) -> None:
    with watched(browser, marked_page(tmp_path)) as page:
        page.get_by_label("Wrong or irrelevant: evidence 1").check()
        path = tmp_path / "marked.html"
        path.write_text(path.read_text().replace("2026-02-01T12:30", "2026-02-02T12:30"))
        page.reload()
        expect(page.get_by_label("Wrong or irrelevant: evidence 1")).not_to_be_checked()
        expect(page.locator("#without")).to_contain_text("Mark evidence")


def test_for_and_against_stand_side_by_side_and_under_each_other_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    address = marked_page(tmp_path)
    for width, is_beside in ((1280, True), (360, False)):
        with watched(browser, address, {"width": width, "height": 800}) as page:
            tops = [
                page.get_by_role("region", name=name).bounding_box() for name in ("For the claim", "Against the claim")
            ]
            first, second = (box["y"] for box in tops if box)
            assert (first == second) is is_beside
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_marks_are_accessible(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, marked_page(tmp_path)) as page:
        page.get_by_label("Wrong or irrelevant: evidence 1").check()
        assert violations(page) == []


def test_times_are_those_of_the_reader(browser: Browser, address: str) -> None:
    with browser.new_context(timezone_id="Asia/Tokyo", locale="en-GB") as context:
        page = context.new_page()
        page.goto(address)
        time = page.locator("time").first
        expect(time).to_have_text("1 Feb 2026, 21:30")
        expect(time).to_have_attribute("title", "2026-02-01 12:30 UTC")
