"""The page of an evaluation in a browser, at both widths: layout, script, no error.

It takes a Chromium: Debian's package ``chromium``, or any on the path.
"""

import json
import re
import shutil
import subprocess
from html import unescape

import pytest
from support.evaluations import people, with_broken_order

from coclust_synth.evaluation import evaluate
from coclust_synth.evaluation.utility import learning
from coclust_synth.reports.html.page import evaluation_page
from coclust_synth.reports.html.story import story

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        BROWSER is None,
        reason=f"no browser: none of {', '.join(BROWSERS)} is installed",
    ),
]

# What is asked of the page, once it is laid out; told as its title.
ASK = """
<script>
const heads = [...document.querySelectorAll("table.sortable thead button")];
const table = document.querySelector("table.scores");
const third = () => [...table.tBodies[0].rows].map((row) => row.cells[2].textContent);
table.tHead.rows[0].cells[2].querySelector("button").click();
const up = third();
table.tHead.rows[0].cells[2].querySelector("button").click();
const told = {
  width: document.documentElement.scrollWidth,
  window: window.innerWidth,
  heads: heads.length,
  up: up.slice(0, 5),
  down: third().slice(0, 5),
  sorted: table.tHead.rows[0].cells[2].getAttribute("aria-sort"),
  paper: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.body).color,
  text: getComputedStyle(document.querySelector("figure svg text")).fill,
  requests: performance.getEntriesByType("resource").map((entry) => entry.name),
};
document.title = JSON.stringify(told);
</script></body>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "_ROUNDS", 2)
        found = evaluate(
            people(300, 0), with_broken_order(people(300, 2)), people(150, 1)
        )
    text = evaluation_page(found, story("out.csv", found.facts, None))
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(text.replace("</body>", ASK))
    return path


def shown(page, width, scheme):
    """What the browser answers, in a window of a width and a colour scheme."""
    result = subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu"),
            *("--enable-logging=stderr", f"--window-size={width},900"),
            f"--blink-settings=preferredColorScheme={['dark', 'light'].index(scheme)}",
            *("--dump-dom", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    assert "CONSOLE" not in result.stderr, result.stderr
    (title,) = re.findall(r"<title>(.*?)</title>", result.stdout, re.DOTALL)
    return json.loads(unescape(title))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_as_it_is_seen(page, width, scheme):
    told = shown(page, width, scheme)
    assert told["width"] <= told["window"]
    assert told["requests"] == []
    assert told["heads"] > 20
    assert told["sorted"] == "descending"
    up, down = (
        [float(text.replace(",", "")) for text in told[which]]
        for which in ("up", "down")
    )
    assert up == sorted(up) and down == sorted(down, reverse=True) and up != down
    # Text of the page and of figures has the colour of the scheme.
    assert told["text"] == told["ink"]
    dark = sum(map(int, re.findall(r"\d+", told["paper"])[:3])) < 3 * 128
    assert dark == (scheme == "dark")
