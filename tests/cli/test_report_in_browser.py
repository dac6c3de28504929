"""The page of an evaluation in a browser: what is seen, sorted, folded and printed."""

import re

import pytest
from support.browser import SCHEMES, WIDTHS, faults, launched, opened
from support.evaluations import people, with_broken_order

from coclust_synth import CoclusterSynthesizer, MondrianAnonymizer
from coclust_synth.evaluation import evaluate
from coclust_synth.evaluation.trade_offs import class_trade_off
from coclust_synth.evaluation.utility import learning
from coclust_synth.reports.html.coclustering import coclustering_section
from coclust_synth.reports.html.labels import labels_section
from coclust_synth.reports.html.page import evaluation_page
from coclust_synth.reports.html.story import story
from coclust_synth.reports.html.trade_offs import trade_off_section

pytestmark = pytest.mark.slow

REAL = people(300, 0)


def sections():
    """All that a page can have, of one table."""
    qi = ["age", "ward"]
    anonymizer = MondrianAnonymizer(5, quasi_identifiers=qi).fit(REAL)
    yield trade_off_section([class_trade_off(anonymizer, REAL)], "How.")
    yield labels_section(anonymizer.release_, 5)
    model = CoclusterSynthesizer(k=20, n_iterations=4, random_state=0).fit(REAL)
    yield coclustering_section(model)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "_ROUNDS", 2)
        found = evaluate(REAL, with_broken_order(people(300, 2)), people(150, 1))
    told = story("out.csv", found.facts, None)
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(evaluation_page(found, told, tuple(sections())))
    return path.as_uri()


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


def color(page, selector, what):
    return page.eval_on_selector(
        selector, f"element => getComputedStyle(element).{what}"
    )


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_as_it_is_seen(browser, url, width, scheme):
    with opened(browser, url, width=width, scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # Text of the page and of figures has the colour of the scheme.
        ink = color(page, "body", "color")
        assert color(page, "figure svg text", "fill") == ink
        paper = color(page, "body", "backgroundColor")
        dark = sum(map(int, re.findall(r"\d+", paper)[:3])) < 3 * 128
        assert dark == (scheme == "dark")
        assert faults(page) == []


def test_tables_sort_by_a_key(browser, url):
    with opened(browser, url) as page:
        table = page.locator("table.scores").first
        button = table.locator("thead button").nth(2)
        seen = []
        for _ in range(2):
            button.press("Enter")
            texts = table.locator("tbody tr td:nth-child(3)").all_inner_texts()
            seen.append([float(t.replace(",", "")) for t in texts if t != "–"])
        assert seen[0] == sorted(seen[0]) and seen[1] == sorted(seen[1], reverse=True)
        assert table.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"


def cells(page):
    return page.locator("#grid .cells rect:not(.focus)").count()


def test_the_grid_folds_and_unfolds(browser, url):
    with opened(browser, url) as page:
        wide, high = map(int, re.findall(r"\d+", page.locator("#kept").inner_text()))
        assert min(wide, high) > 1 and cells(page) == wide * high
        assert page.locator(".still").is_hidden()
        # The last joint of the parts: all of them are one.
        page.locator(f'[data-joint="1 {2 * high - 2}"]').press("Enter")
        assert cells(page) == wide
        page.locator(f'[data-joint="1 {2 * high - 2}"]').press("Enter")
        assert cells(page) == wide * high
        page.locator("#level").fill(page.locator("#level").get_attribute("max"))
        assert cells(page) == 1
        page.locator("#level").fill("1")
        assert cells(page) in ((wide - 1) * high, wide * (high - 1))


def test_cells_are_read_by_pointer_and_by_keys(browser, url):
    with opened(browser, url) as page:
        told = page.locator("#cell")
        page.locator("#grid .cells rect").first.hover()
        first = told.inner_text()
        assert "times as many as by chance" in first and "cluster 1: " in first
        page.locator("#grid .cells").press("ArrowRight")
        assert "cluster 2: " in told.inner_text()
        page.locator("#grid .cells").press("ArrowUp")  # nothing is above
        assert "cluster 2: " in told.inner_text()
        counts = page.evaluate(
            "JSON.parse(document.getElementById('grid-data').textContent).cells"
        )
        assert f": {counts[1][0]:,} observations" in told.inner_text()


def test_print_and_no_script_have_the_pictures(browser, url):
    with opened(browser, url) as page:
        page.emulate_media(media="print")
        assert page.locator(".still").is_visible()
        assert page.locator("#explore").is_hidden()
    with opened(browser, url, java_script_enabled=False) as page:
        assert page.locator(".still").is_visible()
        assert page.locator("#explore").is_hidden()
        assert page.locator("figure svg").count() > 8
