"""The server's pages in Debian's chromium."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.accessibility import violations
from tests.browsing import WIDE, opened, watched
from tests.report.server.scripted import HOSTILE, HURTS, SLOW, URL
from tests.report.server.served import served

pytestmark = pytest.mark.long

PHONE: ViewportSize = {"width": 360, "height": 740}


@pytest.fixture
def address(project_root: Path, folder: Path) -> Iterator[str]:
    with served(project_root, folder) as (address, _):
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with watched(browser, address) as page:
        yield page


def ask(page: Page, claim: str, urls: str = URL) -> None:
    page.get_by_label("Claim", exact=True).fill(claim)
    page.get_by_label("Sources").fill(urls)
    page.get_by_role("button", name="Check", exact=True).click()


def verdict(page: Page) -> None:
    expect(page).to_have_title(re.compile("^Supported: "))


def test_a_claim_is_typed_and_its_page_is_read(page: Page, address: str) -> None:
    ask(page, "Eels swim.")
    verdict(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Eels swim.")
    page.get_by_role("link", name="All checks").click()
    row = page.get_by_role("listitem").filter(has_text="Eels swim.")
    expect(row).to_contain_text("Supported")
    row.get_by_role("link", name="Again").click()
    expect(page.get_by_label("Claim", exact=True)).to_have_value("Eels swim.")
    expect(page.get_by_label("Sources")).to_have_value(URL)
    page.get_by_role("button", name="Delete Eels swim.").click()
    expect(page.get_by_text("None yet.")).to_be_visible()
    page.get_by_role("button", name="Undo the deletion").click()
    verdict(page)
    page.get_by_role("link", name="All checks").click()
    page.get_by_role("button", name="Delete Eels swim.").click()
    page.goto(address)
    expect(page.get_by_role("button", name="Undo the deletion")).to_have_count(0)
    expect(page.get_by_text("None yet.")).to_be_visible()


def test_marks_of_evidence_last_until_the_check_can_no_longer_be_restored(page: Page) -> None:
    ask(page, "Eels swim.")
    verdict(page)
    mark, shown = page.get_by_label("Wrong or irrelevant: evidence 1"), page.locator("#without")
    mark.check()
    expect(shown).to_contain_text("Without [1]: ")
    page.reload()
    expect(mark).to_be_checked()
    expect(shown).to_contain_text("Without [1]: ")
    address = page.url
    page.get_by_role("link", name="All checks").click()
    page.get_by_role("link", name="Eels swim.").first.click()
    expect(mark).to_be_checked()
    mark.uncheck()
    page.reload()
    expect(mark).not_to_be_checked()
    mark.check()
    page.get_by_role("link", name="All checks").click()
    page.get_by_role("button", name="Delete Eels swim.").click()
    page.get_by_role("button", name="Undo the deletion").click()
    expect(page).to_have_url(address)
    expect(mark).to_be_checked()
    page.get_by_role("link", name="All checks").click()
    ask(page, "Cats purr.")
    verdict(page)
    page.get_by_role("link", name="All checks").click()
    page.get_by_role("button", name="Delete Cats purr.").click()
    page.goto(address)
    expect(mark).to_be_checked()
    path = urlsplit(address).path
    page.get_by_role("link", name="All checks").click()
    page.get_by_role("button", name="Delete Eels swim.").click()
    page.wait_for_function("path => localStorage.getItem('deleted') === path", arg=path)
    assert page.evaluate("path => localStorage.getItem(`marks of ${path}`)", path) is not None
    ask(page, "Dogs bark.")
    verdict(page)
    page.get_by_role("link", name="All checks").click()
    page.get_by_role("button", name="Delete Dogs bark.").click()
    page.wait_for_function("path => localStorage.getItem(`marks of ${path}`) === null", arg=path)


def test_the_form_is_sent_by_keys_and_times_are_local(page: Page) -> None:
    page.get_by_label("Claim", exact=True).fill("Eels swim.")
    page.get_by_label("Sources").fill(URL)
    page.keyboard.press("Control+Enter")
    verdict(page)
    page.get_by_role("link", name="All checks").click()
    expect(page.locator("time")).to_have_attribute("title", re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC$"))


def test_stages_advance_while_one_looks_and_the_check_is_cancelled(page: Page) -> None:
    ask(page, f"{SLOW} eels.")
    status = page.get_by_role("status")
    expect(status).to_have_text("Working: pages")
    expect(status).to_have_attribute("aria-live", "polite")
    stage = page.locator("#stages").get_by_role("listitem")
    expect(stage).to_contain_text("3 of 3")
    expect(stage).to_contain_text("https://eels.example/3")
    expect(page.get_by_role("progressbar", name="pages")).to_have_attribute("value", "3")
    expect(page.locator("#seconds")).not_to_have_text("0")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("status")).to_have_text("Cancelled")
    expect(page.get_by_role("link", name="Check again")).to_be_visible()


def test_a_check_in_the_queue_shows_its_place_and_moves_up(page: Page) -> None:
    ask(page, f"{SLOW} eels.")
    expect(page.get_by_role("status")).to_have_text("Working: pages")
    first = page.url
    page.get_by_role("link", name="All checks").click()
    ask(page, "Eels swim.")
    expect(page.get_by_role("status")).to_have_text("Waiting, number 1 in the queue")
    other = page.context.new_page()
    other.goto(first)
    other.get_by_role("button", name="Cancel").click()
    verdict(page)
    other.close()


def test_a_check_can_be_made_by_keyboard_alone(page: Page) -> None:
    expect(page.get_by_label("Claim", exact=True)).to_be_focused()
    page.keyboard.type(f"{SLOW} eels.")
    page.keyboard.press("Tab")
    page.keyboard.type(URL)
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Check":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Working: pages")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Cancel":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Cancelled")


def test_markup_from_the_web_does_not_run(page: Page) -> None:
    """The page's fixture sees that the console stays empty and nothing else is loaded."""
    ask(page, f"{HURTS} {HOSTILE}")
    verdict(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text(HOSTILE)
    assert page.evaluate("window.ran") is None
    assert page.locator("img, a[href^=javascript], a[href^=data]").count() == 0
    page.get_by_role("link", name="All checks").click()
    expect(page.get_by_role("link", name=HOSTILE).first).to_be_visible()
    page.get_by_role("link", name="Again").click()
    expect(page.get_by_label("Claim", exact=True)).to_have_value(f"{HURTS} {HOSTILE}")
    assert page.evaluate("window.ran") is None


@pytest.mark.parametrize("size", [PHONE, WIDE])
def test_nothing_is_wider_than_the_screen(browser: Browser, address: str, size: ViewportSize) -> None:
    long = "e" * 300
    with watched(browser, address, size) as page:
        for claim, seen in ((f"{SLOW} {long}", "Working: pages"), (f"Eels {long}", "Waiting, number 1 in the queue")):
            ask(page, claim, f"{URL}{long}\n{URL}")
            expect(page.get_by_role("status")).to_have_text(seen)
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        page.get_by_role("link", name=SLOW).first.click()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("status")).to_have_text("Cancelled")
        page.get_by_role("link", name="All checks").click()
        page.get_by_role("link", name="Eels").first.click()
        verdict(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_pages_are_accessible(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        assert violations(page) == []
        ask(page, f"{SLOW} eels.", "eels.example")
        expect(page.get_by_role("alert")).to_be_focused()
        assert violations(page) == []
        ask(page, f"{SLOW} eels.")
        expect(page.get_by_role("status")).to_have_text("Working: pages")
        assert violations(page) == []
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("status")).to_have_text("Cancelled")
        assert violations(page) == []
        page.get_by_role("link", name="All checks").click()
        assert violations(page) == []


def test_it_works_without_a_script(browser: Browser, address: str) -> None:
    with watched(browser, address, script=False) as page:
        ask(page, f"{SLOW} eels.")
        expect(page.get_by_role("status")).to_contain_text("Working")
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("status")).to_have_text("Cancelled")
        page.get_by_role("link", name="All checks").click()
        ask(page, "Eels swim.")
        verdict(page)


def test_a_server_that_does_not_answer_is_shown(browser: Browser, project_root: Path, folder: Path) -> None:
    with opened(browser, "about:blank") as page:
        with served(project_root, folder) as (address, process):
            page.goto(address)
            ask(page, f"{SLOW} eels.")
            expect(page.get_by_role("status")).to_have_text("Working: pages")
            process.kill()
        expect(page.get_by_role("status")).to_have_text("The server does not answer; trying again")
