"""The page of a check in a real browser: copying, and printing to PDF."""

import re
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import Browser, expect

from src.report.claim_page import claim_page, summary, view_of_check
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
