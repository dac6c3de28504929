"""The page of an evaluation: what it says, and that it needs nothing else."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations

import pandas as pd
import pytest
from support.evaluations import first_screen, make_quick, people, with_broken_order

from coclust_synth.evaluation import evaluate
from coclust_synth.evaluation.evaluation_result import Facts
from coclust_synth.evaluation.measures import MEASURES
from coclust_synth.reports.html.evaluation_files import print_evaluation
from coclust_synth.reports.html.headline import story, written
from coclust_synth.reports.html.page import evaluation_page, of_kept_aside

REAL, HOLDOUT, FRESH = people(200, 0), people(100, 1), people(200, 2)
_VOID = {"meta", "link", "br", "image", "path", "use", "col", "input"}


@pytest.fixture(scope="module", autouse=True)
def small_models():
    with pytest.MonkeyPatch.context() as patch:
        make_quick(patch)
        yield


@pytest.fixture(scope="module")
def of_broken():
    return evaluate(REAL, with_broken_order(FRESH), HOLDOUT)


@pytest.fixture(scope="module")
def page(of_broken):
    return evaluation_page(of_broken, story("out.csv", of_broken.facts, None))


class Reader(HTMLParser):
    """What a reader of a page meets, in order; tags must be closed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.texts, self.attributes = [], {}, []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.attributes.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in _VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


@pytest.mark.slow
def test_nothing_is_fetched(page):
    reader = Reader(page)
    for tag, attributes in reader.attributes:
        for name in ("src", "href", "xlink:href"):
            value = attributes.get(name) or "#"
            assert value.startswith(("#", "data:")), (tag, value)
    assert "url(http" not in page and "@import" not in page
    assert len(page) < 500_000


@pytest.mark.slow
def test_tables_and_figures_can_be_read_without_looking(page):
    reader = Reader(page)
    ids = [a["id"] for _, a in reader.attributes if "id" in a]
    assert len(ids) == len(set(ids))
    for tag, attributes in reader.attributes:
        if tag == "svg":
            assert attributes["aria-hidden"] == "true"
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
        if "tabindex" in attributes:
            assert attributes.get("aria-label") or attributes["aria-labelledby"] in ids
    assert page.count("<figure>") == page.count("<figcaption>") == 5
    for name in set(re.findall(r"var\((--\w+)\)", page)):
        assert f"{name}:" in page


@pytest.mark.slow
def test_the_first_screen_says_what_it_is(page, of_broken):
    first = first_screen(page)
    assert "Internal" in first
    assert "out.csv" in first and "No formal guarantee" in first
    assert first.count('class="card"') == 6
    assert "200 rows" in first and "100 rows kept aside" in first
    assert "admitted &lt;= left" in first


@pytest.mark.slow
def test_columns_left_out_for_one_reason_are_told_together(of_broken, capsys):
    reasons = {"job": "not released", "bed": "one value", "town": "not released"}
    facts = replace(of_broken.facts, left_out=reasons)
    found = replace(of_broken, facts=facts)
    page = evaluation_page(found, story("out.csv", facts, None))
    assert "<li>job, town (not released)</li>" in page
    print_evaluation(found)
    lines = [x for x in capsys.readouterr().out.splitlines() if "Not compared" in x]
    assert lines == [
        "Not compared: job, town (not released).",
        "Not compared: bed (one value).",
    ]


@pytest.mark.slow
def test_the_same_evaluation_gives_the_same_page(page, of_broken):
    again = evaluation_page(of_broken, story("out.csv", of_broken.facts, None))
    assert again == page


@pytest.mark.slow
def test_figures_say_what_is_in_them(page, of_broken):
    assert "these are only 100, not 200, and therefore farther by sampling" in page
    assert "or below them. At" in _of_kept_aside(200) + "At"
    assert _of_kept_aside(None) == ""
    # The measures of the whole table are explained where they stand, not by a pointer.
    reads = MEASURES["nearer_to_training"].reads
    assert f"<small>{reads}</small>" in page
    assert page.count(f"<small>{MEASURES['quantile_error'].reads}</small>") == 0


def _of_kept_aside(n_holdout):
    return of_kept_aside(Facts(200, 200, n_holdout, {}, {}, False, 0))


@pytest.mark.slow
def test_that_copies_were_not_looked_for_is_said():
    columns = ["ward", "drug"]
    found = replace(evaluate(REAL[columns], FRESH[columns]), findings=())
    first = first_screen(evaluation_page(found, story("out.csv", found.facts, None)))
    assert "No warning. Signs of copied rows were not looked for" in first


@pytest.mark.slow
def test_no_verdict_of_anonymity(page):
    assert not re.search(r"(?<!k-)anonym", page, re.IGNORECASE)


@pytest.mark.slow
def test_counts_are_written_as_whole_numbers():
    assert written(1.0, "individuals") == "1" and written(5.0, "individuals") == "5"
    assert written(1.0, "share") == "1.000" and written(float("nan"), "share") == "–"


@pytest.mark.slow
def test_names_are_no_markup():
    odd = {"ward": "<b>w</b>", "drug": "a & b"}
    tables = [t.rename(columns=odd)[:60] for t in (REAL, FRESH)]
    found = evaluate(*tables)
    page = evaluation_page(found, story("<i>.csv", found.facts, None))
    Reader(page)
    assert "<b>w" not in page and "<i>.csv" not in page
    assert "&lt;b&gt;w" in page


@pytest.mark.slow
def test_a_private_release_is_told_that_figures_spend_privacy(of_broken):
    manifest = {
        "statement": "1-differential privacy (pure: delta is 0)",
        "unit": "one person, of at most 1 row",
        "generator": {"name": "DPCocGen"},
        "budget": {},
    }
    told = story("out.csv", of_broken.facts, manifest)
    first = first_screen(evaluation_page(of_broken, told))
    assert "ledger of the release does not count" in first
    assert "1-differential privacy" in first
    assert "No formal guarantee" not in first


@pytest.mark.slow
def test_long_names_of_the_worst_pairs_are_cut():
    question = "Please rank the films in the order of your preference"
    real = pd.DataFrame({question: list("aabb") * 9, "y": list("cdcd") * 9})
    found = evaluate(real, real[:20])
    page = evaluation_page(found, story("out.csv", found.facts, None))
    assert "Most changed: Please rank the film… of your preference and y 0" in page


@pytest.mark.slow
def test_what_is_missing_together_is_one_rule(of_broken):
    same = [(first, second) for first, second in combinations("abcd", 2)]
    rules = pd.DataFrame(
        {
            "rule": [f"{', '.join(own)}: missing in the same rows" for own in same],
            "columns": same,
            "real": 0.0,
            "released": 0.0,
            "fresh": float("nan"),
            "independent": [0.1, 0.2, 0.3, 0.1, 0.1, 0.1],
        }
    )
    rules.loc[5, "released"] = 0.04  # c and d
    told = replace(of_broken, details=replace(of_broken.details, rules=rules))
    page = evaluation_page(told, story("out.csv", told.facts, None))
    section = page[page.index('id="rules">') : page.index('id="columns"')]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', section)
    assert [(rule, re.findall("<td>(.*?)</td>", own)) for rule, own in rows] == [
        ("a, b, c, d: missing in the same rows", ["0.00%", "0.00%", "–", "30.00%"]),
        ("c, d: missing in the same rows", ["0.00%", "4.00%", "–", "10.00%"]),
    ]
