"""Debian's chromium for tests of pages; `tests/conftest.py` has it as the fixture `browser`."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")  # as script/setup.sh knows them
WIDE: ViewportSize = {"width": 1280, "height": 900}


@contextmanager
def launched() -> Iterator[Browser]:
    """Without a browser the test is skipped, and fails with `CI=true`."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        reason = "no chromium is installed; on Debian: sudo apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def watched(browser: Browser, address: str, size: ViewportSize = WIDE, *, script: bool = True) -> Iterator[Page]:
    """A page at the address. No request leaves its origin, and the console stays empty."""
    asked: list[str] = []
    said: list[str] = []
    with browser.new_context(viewport=size, java_script_enabled=script) as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(address)
        yield page
    assert asked
    assert [url for url in asked if not url.startswith(address) and url != "data:,"] == []
    assert said == []
