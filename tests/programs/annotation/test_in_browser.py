"""The page of wrong predictions in a real browser, used by keyboard."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from src.programs import annotate
from src.programs.annotation.classes import Classification
from src.store import read_records
from tests.accessibility import violations
from tests.browsing import watched
from tests.programs.annotation.wrong import MARKUP, written
from tests.serving.served import served

pytestmark = pytest.mark.long


@pytest.fixture
def classes(tmp_path: Path) -> Path:
    return tmp_path / "c.jsonl"


@pytest.fixture
def page(tmp_path: Path, project_root: Path, classes: Path, browser: Browser) -> Iterator[Page]:
    claims, traces = written(tmp_path, 6)
    flags = ("--port", "0", "-i", str(traces), "--gold", str(claims), "-o", str(classes))
    with served(project_root, annotate.__name__, *flags) as (address, _), watched(browser, address) as page:
        yield page


def begin(page: Page) -> None:
    page.keyboard.type("ann")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Guidelines")).to_be_focused()
    page.get_by_role("button", name="Go on to the programs").focus()
    page.keyboard.press("Enter")
    place(page, 1)


def place(page: Page, number: int) -> None:
    expect(page.locator("#place")).to_have_text(re.compile(rf"Program {number} of 3, claim \d"))


def test_an_annotator_classes_all_by_keyboard(page: Page, classes: Path) -> None:
    begin(page)
    page.keyboard.press("3")
    expect(page.get_by_role("radio", name="structure")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("1 of 2 steps is missing")
    expect(page.get_by_role("radio", name="subtask")).to_be_checked()
    page.keyboard.press("Control+Enter")
    place(page, 2)
    page.reload()
    place(page, 2)
    page.keyboard.press("5")
    page.keyboard.press("Control+Enter")
    place(page, 3)
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="All is classed")).to_be_visible()
    assert page.get_by_role("table").get_by_role("row").all()[1].inner_text().split() == ["3", "1", "0", "0", "1", "1"]
    assert [(one.error_class.value, one.note) for one in read_records(classes, Classification)] == [
        ("subtask", "1 of 2 steps is missing"), ("execution", ""), ("syntax", ""),
    ]  # fmt: skip


def test_nothing_is_saved_before_a_class_is_chosen(page: Page, classes: Path) -> None:
    begin(page)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_have_text("Not done: choose a class first")
    assert classes.read_bytes() == b""


def test_the_program_its_answers_and_both_labels_are_shown_and_markup_is_text(page: Page) -> None:
    begin(page)
    assert page.locator("#steps-list li").first.inner_text() == f"answer_1 = Question(Which town?) → {MARKUP}"
    expect(page.locator("#label")).to_have_text("Predict(fact_1) → true")
    expect(page.locator("#verdict")).to_have_text("Predicted: supports (true); right: refutes")
    expect(page.locator("#pieces li").first).to_contain_text("Lund: A sentence.")
    expect(page.locator("#gold")).to_have_text("Lund")
    box = page.get_by_role("radio", name="execution")
    expect(box).to_have_accessible_description("The program is right; a step was answered wrongly.")


def test_pages_are_accessible_and_no_wider_than_the_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.keyboard.type("ann")
    page.keyboard.press("Enter")
    expect(page.locator("#examples tr")).to_have_count(5)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Go on to the programs").click()
    place(page, 1)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
