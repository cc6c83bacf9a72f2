"""Headless chromium for tests of pages; `tests/conftest.py` provides it as the fixture `browser`."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")  # as script/setup.sh knows them
PATIENCE = 120_000  # milliseconds for what is expected of a page: the machine may be busy
WIDE: ViewportSize = {"width": 1280, "height": 900}


expect.set_options(timeout=PATIENCE)


@contextmanager
def launched() -> Iterator[Browser]:
    """Yield a running chromium. Skip the test if none is installed; with `CI=true`, fail it."""
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        reason = "no chromium is installed; on Debian: sudo apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=PATIENCE)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, address: str, size: ViewportSize = WIDE, *, script: bool = True) -> Iterator[Page]:
    """Yield the page at an address, in its own context. Tests may run scripts in it, such as axe-core."""
    with browser.new_context(viewport=size, java_script_enabled=script, bypass_csp=True) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(address)
        yield page


@contextmanager
def watched(browser: Browser, address: str, size: ViewportSize = WIDE, *, script: bool = True) -> Iterator[Page]:
    """Yield the page at an address; then check that no request left its origin and that the console is empty."""
    requested: list[str] = []
    console: list[str] = []
    with browser.new_context(viewport=size, java_script_enabled=script) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("request", lambda request: requested.append(request.url))
        page.on("console", lambda message: console.append(message.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        page.goto(address)
        yield page
    assert requested
    assert [url for url in requested if not url.startswith(address) and url != "data:,"] == []
    assert console == [], console
