"""The page of an evaluation in a browser: what is seen, sorted, folded and printed."""

import re

import pytest
from support.browser import SCHEMES, WIDTHS, faults, launched, opened
from support.evaluations import make_quick, people, with_broken_order

from coclust_synth import CoclusterSynthesizer, MondrianAnonymizer
from coclust_synth.evaluation import evaluate
from coclust_synth.evaluation.trade_offs import class_trade_off
from coclust_synth.reports.html.coclustering import coclustering_section
from coclust_synth.reports.html.headline import story
from coclust_synth.reports.html.labels import labels_section
from coclust_synth.reports.html.page import evaluation_page
from coclust_synth.reports.html.sections import trade_off_section

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
        make_quick(patch)
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


VIEW = "document.querySelector('.coclust-view').view"


def shape(page):
    told = page.locator(".coclust-view .status strong").inner_text()
    return [int(number) for number in re.findall(r"\d+", told)]


def test_the_grid_folds_and_unfolds(browser, url):
    with opened(browser, url) as page:
        page.wait_for_selector("[data-ready]")
        whole = shape(page)
        assert min(whole) > 1 and page.locator(".still").is_hidden()
        assert page.evaluate(f"{VIEW}.content.counts.reduce((a, b) => a + b)") == (
            REAL.size
        )
        slider = page.locator("[data-ref=clusters]")
        slider.fill(slider.get_attribute("min"))
        # What a slider is set to is drawn with the next frame.
        page.locator(".coclust-view .status", has_text="1 × 1 clusters").wait_for()
        page.locator("[data-ref=best]").click()
        assert shape(page) == whole
        page.locator("[data-ref=stage]").press("f")
        assert shape(page)[0] < whole[0] and shape(page)[1] == whole[1]


def test_cells_are_read_by_keys(browser, url):
    with opened(browser, url) as page:
        page.wait_for_selector("[data-ready]")
        stage, live = (page.locator(f"[data-ref={own}]") for own in ("stage", "live"))
        stage.press("ArrowLeft")
        # What is said is written with the next frame.
        said = "document.querySelector('[data-ref=live]').innerText"
        page.wait_for_function(f"{said}.includes('observations')")
        first = live.inner_text()
        stage.press("ArrowRight")
        page.wait_for_function(f"first => {said} != first", arg=first)
        assert page.locator("[data-ref=saveNames]").is_hidden()


def test_print_and_no_script_have_the_pictures(browser, url):
    with opened(browser, url) as page:
        page.wait_for_selector("[data-ready]")
        page.emulate_media(media="print")
        assert page.locator(".still").is_visible()
        assert page.locator(".coclust-view .app").is_hidden()
        page.add_style_tag(content=".still svg { height: 50rem !important; }")
        assert cut(page) == []
    with opened(browser, url, java_script_enabled=False) as page:
        assert page.locator(".still").is_visible()
        assert page.locator(".coclust-view .app").is_hidden()
        assert page.locator("figure svg").count() > 8


def cut(page):
    """Pictures of which the end is not seen: paper does not scroll."""
    return page.evaluate(
        """() => [...document.querySelectorAll("figure .scroll")]
        .filter((own) => own.scrollHeight > own.clientHeight + 1)
        .map((own) => own.getAttribute("aria-label"))"""
    )
