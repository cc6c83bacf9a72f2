"""Accessibility check of a page in the browser, by the rules of axe-core."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page


def violations(page: Page) -> list[str]:
    """Return one line per broken rule, with the first element that breaks it."""
    violations = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:120]}" for one in violations]
