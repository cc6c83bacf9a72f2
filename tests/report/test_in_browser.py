"""The report in a real browser, from the file system: search, filters, order, keys, phones, screen readers."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from src.records import Verdict
from src.report import build_report
from src.report.claim_page import claim_page
from tests.accessibility import violations
from tests.browsing import opened, watched
from tests.report.runs import claim, prediction, twelve, write_claims, write_run
from tests.report.test_claim_page import view

pytestmark = pytest.mark.long

PAGES = ("index.html", "claims.html", "compare.html", "claim/0.html", "everything.html")
PHONE, ROWS = 360, "table.list tbody tr:not([hidden])"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve claims, beside a run that refutes them all; and a claim's page with every part that it can have."""
    tmp = tmp_path_factory.mktemp("report")
    run, labels = twelve(tmp)
    other = write_run(tmp / "all_refuted", [prediction(n) for n in range(12)])
    assert build_report.main(["--run", str(run), "--label_file", str(labels), "--compare", str(other)]) == 0
    (run / "report" / "everything.html").write_text(claim_page(view("Eels & <b>storks</b>.")), "utf-8")
    return run / "report"


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    with watched(browser, (report / "claims.html").as_uri()) as page:
        yield page


def numbers(page: Page) -> list[int]:
    return [int(text) for text in page.locator(f"{ROWS} td:first-child").all_inner_texts()]


def count(page: Page) -> Locator:
    return page.get_by_role("status")


def test_words_in_any_order_find_claims_and_the_count_is_shown(page: Page) -> None:
    expect(count(page)).to_have_text("12 of 12 claims")
    page.get_by_label("Words of the claim").fill("RIVER 11 eels")
    expect(count(page)).to_have_text("1 of 12 claims")
    assert numbers(page) == [11]
    page.get_by_role("button", name="Show all").click()
    expect(count(page)).to_have_text("12 of 12 claims")


def test_filters_hold_together(page: Page) -> None:
    page.get_by_label("Right or wrong").select_option("wrong")
    expect(count(page)).to_have_text("4 of 12 claims")
    assert numbers(page) == [0, 3, 6, 9]
    page.get_by_label("Claim type").select_option("Numerical Claim")
    expect(count(page)).to_have_text("2 of 12 claims")
    page.get_by_label("Q+A at least").fill("0.9")
    expect(count(page)).to_have_text("1 of 12 claims")
    assert numbers(page) == [3]


def test_a_head_sorts_up_then_down_and_says_so(page: Page) -> None:
    button = page.get_by_role("button", name="Q+A")
    head = page.get_by_role("columnheader", name="Q+A")
    button.click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert numbers(page)[:3] == [0, 4, 8], "the least alike, equals by number"
    button.click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert numbers(page)[-3:] == [0, 4, 8]
    expect(page.locator("[aria-sort=ascending], [aria-sort=descending]")).to_have_count(1)


def test_the_address_keeps_what_is_chosen(browser: Browser, page: Page) -> None:
    page.get_by_label("Right or wrong").select_option("wrong")
    page.get_by_role("button", name="Label").click()
    expect(count(page)).to_have_text("4 of 12 claims")
    page.wait_for_function("location.hash.includes('right=no') && location.hash.includes('sort=gold')")
    before = numbers(page)
    address = page.url
    with opened(browser, address) as again:
        expect(count(again)).to_have_text("4 of 12 claims")
        expect(again.get_by_label("Right or wrong")).to_have_value("no")
        assert numbers(again) == before


def test_keys_alone_search_filter_and_sort(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    while page.evaluate("document.activeElement.id") != "q":
        page.keyboard.press("Tab")
    page.keyboard.type("eels")
    page.keyboard.press("Tab")
    page.keyboard.press("R")  # a list of choices takes the first that begins so
    expect(count(page)).to_have_text(re.compile(r"^\d of 12 claims$"))
    while page.evaluate("document.activeElement.dataset.sort") != "number":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    ids = numbers(page)
    assert ids == sorted(ids, reverse=True)
    assert len(ids) > 1


def test_without_script_the_whole_table_shows(browser: Browser, report: Path) -> None:
    with watched(browser, (report / "claims.html").as_uri(), script=False) as page:
        expect(page.locator("table.list tbody tr")).to_have_count(12)
        expect(page.locator("form")).to_be_hidden()
        expect(page.locator("button.sorts").first).to_be_disabled()


def test_changes_are_filtered_as_claims_are(browser: Browser, report: Path) -> None:
    with watched(browser, (report / "compare.html").as_uri()) as page:
        page.get_by_label("Change", exact=True).select_option("turned wrong")
        expect(count(page)).to_have_text(re.compile(r"^2 of \d+ claims with a change$"))
        assert numbers(page) == [0, 6]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(browser: Browser, report: Path, name: str, scheme: str) -> None:
    with watched(browser, (report / name).as_uri()) as page:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert violations(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_needs_no_scrolling_sideways(browser: Browser, report: Path, name: str) -> None:
    with watched(browser, (report / name).as_uri(), {"width": PHONE, "height": 740}) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE
        over = "[...document.querySelectorAll('svg text')].filter((one) => one.getBoundingClientRect().left < 0)"
        assert page.evaluate(f"{over}.map((one) => one.textContent)") == []


def test_the_page_follows_the_dark_scheme(browser: Browser, report: Path) -> None:
    def paper(page: Page, scheme: str) -> int:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    with watched(browser, (report / "index.html").as_uri()) as page:
        assert paper(page, "dark") < 200 < 600 < paper(page, "light")


def test_five_thousand_claims_are_filtered_and_sorted(browser: Browser, tmp_path: Path) -> None:
    many = range(5000)
    run = write_run(tmp_path / "run", [prediction(n, Verdict.SUPPORTED if n % 5 else Verdict.REFUTED) for n in many])
    labels = write_claims(tmp_path / "l.json", [claim(0)])
    assert build_report.main(["--run", str(run), "--label_file", str(labels)]) == 0
    with watched(browser, (run / "report" / "claims.html").as_uri()) as page:
        page.get_by_label("Verdict").select_option("Refuted")
        expect(count(page)).to_have_text("1000 of 5000 claims")
        page.get_by_role("button", name="No.").click()
        assert page.locator(f"{ROWS} td:first-child").first.inner_text() == "4995"
