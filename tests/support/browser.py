"""Pages in a headless Chromium: Debian's package ``chromium``, or any on the path."""

import shutil
from contextlib import contextmanager

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
WIDTHS, SCHEMES = (1280, 390), ("light", "dark")


def launched():
    """A browser, driven by Playwright; the test skips where one of them is missing."""
    driver = pytest.importorskip(
        "playwright.sync_api",
        reason="needs playwright: pip install 'coclust-synth[browser]'",
    )
    if BROWSER is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    return _launched(driver)


@contextmanager
def _launched(driver):
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@contextmanager
def opened(browser, url, *, width=1280, scheme="light", **options):
    """A page in a window; it must not complain, nor ask for anything but itself."""
    complaints, asked = [], []
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, **options
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    yield page
    assert complaints == []
    others = [one for one in asked if one != url and not one.startswith("blob:")]
    assert others == []
    context.close()


def faults(page):
    """What axe finds wrong in a page, of any weight; skips without axe."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="needs axe: pip install 'coclust-synth[browser]'",
    )
    return [
        (fault["id"], fault["impact"], [node["html"] for node in fault["nodes"]])
        for fault in axe.Axe().run(page).response["violations"]
    ]
