"""axe-core over a page in the browser: what a screen reader or a weak eye would stumble over."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page


def violations(page: Page) -> list[str]:
    """A line for each rule that is broken, with the first element that breaks it."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:120]}" for one in found]
