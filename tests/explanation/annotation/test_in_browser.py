"""The page in a real browser: Debian's chromium, as people would use it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from src.explanation import annotate
from src.explanation.annotation.ratings import Rating
from src.store import read_records
from tests.browsing import watched
from tests.explanation.annotation.explained import MARKUP, explained, written
from tests.serving.served import served

pytestmark = pytest.mark.long

TEXTS = ["Eels swim in rivers. Nils saw two. So it is refuted.", "All eels swim. Nobody saw one.", "Eels fly."]


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    return tmp_path / "r.jsonl"


@pytest.fixture
def address(tmp_path: Path, project_root: Path, ratings: Path) -> Iterator[str]:
    claims = [explained(n, text, [[1], [2]]) for n, text in enumerate(TEXTS)]
    source = written(tmp_path / "e.json", *claims)
    with served(project_root, annotate.__name__, "--port", "0", "-i", str(source), "-o", str(ratings)) as (found, _):
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with watched(browser, address) as page:
        yield page


def begin(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="Go on to the explanations").click()


def tick(page: Page, sentence: int, *kinds: str) -> None:
    for kind in kinds:
        page.locator("fieldset").nth(sentence).get_by_role("checkbox", name=kind).check()


def go_on(page: Page, to: int) -> None:
    page.get_by_role("button", name="Save and go on").click()
    expect(page.locator("#place")).to_have_text(re.compile(rf"Explanation {to} of 3"))


def go_back(page: Page, to: int) -> None:
    page.get_by_role("button", name="Previous").click()
    expect(page.locator("#place")).to_have_text(re.compile(rf"Explanation {to} of 3"))


def finish(page: Page) -> None:
    page.get_by_role("button", name="Save and go on").click()
    expect(page.get_by_role("heading", name="All is rated")).to_be_visible()


def status(page: Page) -> str:
    return page.get_by_role("status").inner_text()


def own_counts(page: Page) -> list[str]:
    """Return the only row of the only table, which has no other annotator's name."""
    assert not re.search(r"\b(ann|bob)\b|kappa|agree", page.locator("#summary").inner_text())
    rows = page.get_by_role("table").get_by_role("row").all()
    assert len(rows) == 2
    return rows[1].inner_text().split()


def test_two_annotators_rate_and_see_their_own_counts_alone(
    page: Page, ratings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(page, "ann")
    expect(page.locator("fieldset")).to_have_count(3)
    expect(page.locator("fieldset").first.get_by_role("checkbox")).to_have_count(9)
    tick(page, 0, "EE", "OG")
    tick(page, 1, "IV")
    assert status(page) == "Not saved yet"
    go_on(page, 2)
    page.reload()
    expect(page.locator("#count")).to_have_text("1 of 3 rated")
    expect(page.locator("#place")).to_have_text("Explanation 2 of 3, claim 1")
    page.get_by_role("button", name="Previous").click()
    expect(page.locator(":checked")).to_have_count(3)
    assert status(page) == "Saved"
    go_on(page, 2)
    go_on(page, 3)
    finish(page)
    assert own_counts(page) == ["3", "66.7", "%", "6", "3", "0", "1", "1", "0", "0", "0", "0", "1", "0"]

    page.get_by_role("button", name="Change").click()
    begin(page, "bob")
    tick(page, 0, "EE")
    go_on(page, 2)
    go_on(page, 3)
    finish(page)
    assert own_counts(page) == ["3", "66.7", "%", "6", "1", "0", "1", "0", "0", "0", "0", "0", "0", "0"]
    assert annotate.main(["--agreement", str(ratings)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["ann,", "bob", "3", "0.571", "0.486"]

    lines = read_records(ratings, Rating)
    assert [(one.annotator, one.claim_id, [list(map(str, kinds)) for kinds in one.errors]) for one in lines] == [
        ("ann", 0, [["EE", "OG"], ["IV"], []]), ("ann", 0, [["EE", "OG"], ["IV"], []]),
        ("ann", 1, [[], []]), ("ann", 2, [[]]),
        ("bob", 0, [["EE"], [], []]), ("bob", 1, [[], []]), ("bob", 2, [[]]),
    ]  # fmt: skip


def test_markup_in_a_claim_and_its_evidence_is_text(page: Page) -> None:
    begin(page, "ann")
    expect(page.get_by_role("heading", name="Eels fly <b>0</b>.")).to_be_visible()
    piece = page.locator("#pieces li").nth(1)
    assert piece.inner_text() == f"Who saw them?\n{MARKUP}"
    assert page.locator("#pieces script, #pieces img, h2 b").count() == 0
    assert page.title() == "Explanations to rate"


def test_a_change_of_what_is_saved_is_saved_on_leaving_and_other_ticks_wait(page: Page, ratings: Path) -> None:
    begin(page, "ann")
    tick(page, 0, "RC")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#place")).to_have_text("Explanation 2 of 3, claim 1")
    expect(page.locator("#count")).to_have_text("0 of 3 rated")
    assert ratings.read_bytes() == b""
    page.get_by_role("button", name="Previous").click()
    expect(page.locator(":checked")).to_have_count(1)
    go_on(page, 2)
    go_back(page, 1)
    tick(page, 1, "IR")
    assert status(page) == "Changed, not saved yet"
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#place")).to_have_text("Explanation 2 of 3, claim 1")
    assert [one.errors for one in read_records(ratings, Rating)] == [[["RC"], [], []], [["RC"], ["IR"], []]]


def test_seconds_of_all_looks_are_added_once(page: Page, ratings: Path) -> None:
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.reload()
    begin(page, "ann")
    expect(page.locator("#place")).to_have_text("Explanation 1 of 3, claim 0")
    page.clock.run_for(40_000)
    go_on(page, 2)
    go_back(page, 1)
    page.clock.run_for(3_000)
    go_on(page, 2)
    page.reload()
    expect(page.locator("#place")).to_have_text("Explanation 2 of 3, claim 1")
    go_back(page, 1)
    page.clock.run_for(2_000)
    go_on(page, 2)
    assert [one.seconds for one in read_records(ratings, Rating)] == [40.0, 43.0, 45.0]


def test_keys_tick_move_and_save(page: Page, ratings: Path) -> None:
    begin(page, "ann")
    page.locator("fieldset input").first.focus()
    for key in ("2", "ArrowDown", "ArrowRight", "Space", "ArrowUp", "9", "2", "Control+Enter"):
        page.keyboard.press(key)
    expect(page.locator("#place")).to_have_text("Explanation 2 of 3, claim 1")
    (line,) = read_records(ratings, Rating)
    assert line.errors == [["IR"], ["IV"], []]


def test_a_cite_leads_to_its_evidence_and_boxes_tell_what_they_mean(page: Page) -> None:
    begin(page, "ann")
    page.get_by_role("link", name="[2]").click()
    expect(page.locator("#piece-2")).to_be_focused()
    box = page.get_by_role("checkbox", name="OG overgeneralisation").first
    expect(box).to_have_accessible_description("it goes further than the evidence")
    expect(page.get_by_role("group", name="Eels swim in rivers.")).to_be_visible()


def test_an_invalid_name_is_reported(browser: Browser, address: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.get_by_label("Your name").fill("<b>")
        page.get_by_role("button", name="Begin").click()
        expect(page.get_by_role("status")).to_contain_text("a name has 1 to 40 letters")


def test_a_stopped_server_is_reported_and_ticks_remain(browser: Browser, tmp_path: Path, project_root: Path) -> None:
    source = written(tmp_path / "e.json", explained(0, TEXTS[0]))
    with browser.new_context() as context:
        page = context.new_page()
        with served(
            project_root, annotate.__name__, "--port", "0", "-i", str(source), "-o", str(tmp_path / "r.jsonl")
        ) as (address, _):
            page.goto(address)
            begin(page, "ann")
            tick(page, 0, "EE")
        page.get_by_role("button", name="Save and go on").click()
        expect(page.get_by_role("status")).to_contain_text("Not done: the server does not answer; start it again")
        expect(page.locator(":checked")).to_have_count(1)


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_screen(browser: Browser, address: str, width: int) -> None:
    with browser.new_context(viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        page.goto(address)
        begin(page, "ann")
        expect(page.locator("fieldset")).to_have_count(3)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        wide = "[...document.querySelectorAll('.kind')].filter((one) => one.scrollWidth > one.clientWidth)"
        assert page.evaluate(f"{wide}.map((one) => one.innerText)") == []
