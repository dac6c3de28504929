"""`dp`: a table, its manifest and its statement; what is refused, and what is not told.

Draws have no seed: tests say nothing of the rows but what holds for all of them.
"""

import hashlib
import json
import math
import os
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, files_in, run, succeeds
from support.evaluations import make_quick
from support.private_noise import forbid_noise, silence_noise

from coclust_synth.cli import private_request
from coclust_synth.generators import domain_synthesizer
from coclust_synth.privacy.noise.concentrated import rho_of
from coclust_synth.reports.private_release import told_releases
from coclust_synth.reports.private_statement import private_statement, private_warnings

N_ROWS = 7919
DOMAIN = """
[[column]]
name = "sex"
categories = ["F", "M"]

[[column]]
name = "job"
categories = ["cook", "clerk", "nurse"]
other = "rest"

[[column]]
name = "age"
low = 20
high = 59
bins = 4
"""
THREE = {"out.csv", "out.manifest.json", "out.statement.md"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory: a table of persons of two rows each, and a domain."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "person": [f"Zebedee {i // 2}" for i in range(N_ROWS)],
            "sex": rng.choice(["F", "M"], N_ROWS),
            "job": rng.choice(["cook", "clerk", "nurse", "okapi tamer"], N_ROWS),
            "age": rng.integers(20, 60, N_ROWS),
        }
    )
    frame.to_csv("people.csv", index=False)
    Path("domain.toml").write_text(DOMAIN)
    return tmp_path


ARGUMENTS = ("dp", "people.csv", "--output", "out.csv")
DECLARED = (*ARGUMENTS, "--domain", "domain.toml")
WHOLE = (*DECLARED, "--epsilon", 1)


def manifest():
    return json.loads(Path("out.manifest.json").read_text(encoding="utf-8"))


def statement():
    return Path("out.statement.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.noise
def test_a_table_a_manifest_and_a_statement(folder):
    before = set(files_in(folder))
    facts = json.loads(succeeds(*WHOLE, "--json"))
    assert set(files_in(folder)) == before | THREE
    rows = pd.read_csv("out.csv")
    assert list(rows.columns) == ["sex", "job", "age"]
    assert set(rows["job"]) == {"cook", "clerk", "nurse", "rest"}
    assert rows["age"].between(20, 59).all()
    told = manifest()
    budget = told["budget"]
    assert told["statement"] == "1-differential privacy (pure: delta is 0)"
    assert told["unit"] == "one person, of at most 1 row"
    assert "rows_used" not in told
    assert "- the assumption that a person has no more rows than said\n" in statement()
    assert "present or absent" in told["neighbouring_relation"]
    assert (budget["epsilon"], budget["delta"], budget["spent"]) == (1.0, 0.0, 1.0)
    assert [e["what"] for e in budget["entries"]] == [
        "rows",
        *(f"values of {name}" for name in ("sex", "job", "age")),
        "cells of sex, job, age",
        "coarse cells of sex, job, age",
    ]
    assert sum(e["epsilon"] for e in budget["entries"]) == pytest.approx(1)
    assert told["generator"]["name"] == "DPCocGen"
    assert any("domain" in line for line in told["outside_the_budget"])
    assert any("epsilons add up" in line for line in told["outside_the_budget"])
    assert told["release"] == {
        "file": "out.csv",
        "sha256": hashlib.sha256(Path("out.csv").read_bytes()).hexdigest(),
        "rows": len(rows),
        "rows_are": "as many as the noisy counts say",
        "columns": ["sex", "job", "age"],
    }
    page = statement()
    assert "- Generator: DPCocGen, variant default, coclust_synth " in page
    assert "3 columns, as many as the noisy counts say; sha256" in page
    assert "**1-differential privacy (pure: delta is 0).**" in page
    assert "by a factor of at most exp(1) < 2.719" in page
    assert "against another by at most exp(2) < 7.39" in page
    weak = private_statement(told | {"budget": budget | {"epsilon": 50.0}})
    assert "at most exp(50)" in weak and "bounds next to nothing" in weak
    assert "bounds next to nothing" not in page
    finer = budget["entries"][-1] | {"mechanism": "discrete Laplace, finer"}
    again = private_statement(told | {"budget": budget | {"entries": [finer]}})
    assert "given out as one query" in again and "as one query" not in page
    for entry in budget["entries"]:
        noise = f"discrete Laplace | 1 | {entry['scale']:.6g} | {entry['epsilon']:.6g}"
        assert f"| {entry['what']} | {noise} |" in page
    for line in (*told["outside_the_budget"], told["release"]["sha256"]):
        assert line in page
    assert "Controller, date, signature" in page
    assert facts["statement"] == told["statement"] and facts["rows"] == len(rows)
    assert facts["epsilon_spent"] == 1.0 and facts["looks_at_the_data"] == 6
    assert facts["manifest"] == "out.manifest.json"


@pytest.mark.slow
@pytest.mark.noise
def test_what_is_printed(folder):
    shown = succeeds(*WHOLE)
    assert "1-differential privacy" in shown and "out.manifest.json" in shown
    assert succeeds(*WHOLE, "--quiet", "--force") == ""


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("suffix", ["tsv", "csv.gz", "parquet"])
def test_names_beside_other_kinds_of_files(suffix, folder):
    name = f"out.{suffix}"
    whole = (name if own == "out.csv" else own for own in WHOLE)
    succeeds(*whole, "--rows", 50)
    told = manifest()
    digest = hashlib.sha256(Path(name).read_bytes()).hexdigest()
    assert told["release"]["file"] == name and told["release"]["sha256"] == digest
    assert told["release"]["rows"] == 50


@pytest.mark.noise
def test_nothing_of_the_data_is_told(folder):
    shown = succeeds(*WHOLE, "--json", "--rows", 100)
    told = manifest()
    for text in (shown, json.dumps(told), statement(), Path("out.csv").read_text()):
        for marker in ("Zebedee", "okapi", str(N_ROWS), f"{N_ROWS:,}"):
            assert marker not in text.replace(told["release"]["sha256"], "")
    assert "seed" not in json.dumps(told).replace("no seed", "")
    assert "random_state" not in json.dumps(told)


@pytest.mark.slow
@pytest.mark.noise
def test_the_number_of_rows_is_noisy(folder):
    """At this epsilon, 8 releases of 7,919 rows each have a chance below 1e-9."""
    counts = set()
    for _ in range(8):
        options = ("--epsilon", 0.01, "--method", "laplace", "--force", "--json")
        counts.add(json.loads(succeeds(*DECLARED, *options))["rows"])
    assert counts != {N_ROWS}


def test_noise_that_leaves_no_row_is_a_release(folder, monkeypatch):
    """To refuse it would tell it from a table of more rows: a header, and no row."""

    def nothing(values, *, sensitivity, epsilon):
        return np.zeros_like(values), sensitivity / epsilon

    monkeypatch.setattr("coclust_synth.privacy.noise.ledger.discrete_laplace", nothing)
    result = run(*WHOLE, "--variant", "thesis")
    assert result.exit_code == 0
    assert Path("out.csv").read_text() == "sex,job,age\n"
    assert manifest()["release"]["rows"] == 0


@pytest.mark.noise
@pytest.mark.parametrize("method", ["mst", "aim"])
def test_methods_of_a_delta(method, folder):
    facts = json.loads(succeeds(*WHOLE, "--method", method, "--delta", 1e-9, "--json"))
    told = manifest()
    rho = rho_of(1.0, 1e-9)
    assert told["generator"]["name"] == method.upper() + "Synthesizer"
    assert told["budget"]["spent"] == pytest.approx(rho)
    assert facts["rho_spent"] == told["budget"]["spent"]
    assert "epsilon_spent" not in facts
    assert f"(1, 1e-09)-differential privacy, by {rho:.6g}-zero" in statement()


@pytest.mark.noise
def test_rows_that_meet_conditions_are_told_and_cost_nothing(folder):
    asked = ("--given", "sex=F", "--given", "age>=33", "--where", "job != sex")
    asked = (*asked, "--rows", 400)
    facts = json.loads(succeeds(*WHOLE, *asked, "--json"))
    rows = pd.read_csv("out.csv")
    assert len(rows) == 400
    assert (rows["sex"] == "F").all() and (rows["age"] >= 33).all()
    told = manifest()
    conditions = {"given": "sex=F,age>=33", "where": "job != sex"}
    assert told["release"]["conditions"] == conditions
    assert facts["given"] == conditions["given"]
    assert told["budget"]["spent"] == 1.0
    assert "Only rows that meet `sex=F,age>=33, job != sex`" in statement()


def test_names_are_no_markup_of_the_statement(folder):
    succeeds(*WHOLE, "--quiet")
    told = manifest()
    entry = told["budget"]["entries"][0] | {"what": "values of <b>|_x_\nof_y [`*"}
    release = told["release"] | {"file": "a*b*.csv", "conditions": {"given": "`a\n`=1"}}
    budget = told["budget"] | {"entries": [entry]}
    page = private_statement(told | {"budget": budget, "release": release})
    assert page.startswith("# a\\*b\\*.csv: statement")
    assert r"| values of \<b>\|\_x\_\\nof_y \[\`\* | discrete Laplace |" in page
    assert r"Only rows that meet `` `a\n`=1 `` are released" in page


def test_conditions_that_do_not_read_cost_nothing(folder, monkeypatch):
    forbid_noise(monkeypatch)
    fails(folder, *WHOLE, "--given", "sex=X", match="one of the categories")
    fails(folder, *WHOLE, "--given", "sexx=F", match="Did you mean 'sex'")
    fails(folder, *WHOLE, "--where", "age >", match="Expected")
    for asked in ("sex=F,sex=M", "age>59", "age>=33,age<33", "sex="):
        fails(folder, *WHOLE, "--given", asked, match="values of its domain meet")
    planned = ("dp", "--plan", "--expected-rows", 9000, *WHOLE[4:])
    fails(folder, *planned, "--given", "sex=F", match="Received --given")


@pytest.mark.noise
def test_targets_and_a_workload_are_told(folder):
    Path("w.toml").write_text('[[margin]]\ncolumns = ["sex", "job"]\nweight = 2\n')
    asked = ("--target", "sex,job", "--workload", "w.toml")
    succeeds(*WHOLE, "--variant", "adaptive", *asked)
    told = manifest()["generator"]["parameters"]
    assert told["targets"] == ["sex", "job"]
    assert told["workload"] == [{"columns": ["sex", "job"], "weight": 2}]
    choices = [e for e in manifest()["budget"]["entries"] if "max" in e["mechanism"]]
    assert choices and {e["sensitivity"] for e in choices} == {4}
    planned = ("dp", "--plan", "--expected-rows", 9000, *WHOLE[4:], *asked, "--json")
    rho = ("--variant", "adaptive", "--delta", 1e-9)
    queries = json.loads(succeeds(*planned, *rho))["queries"]
    assert any("max" in query["mechanism"] for query in queries)


@pytest.mark.noise
@pytest.mark.parametrize(
    "method, is_unused",
    [((), True), (("--variant", "adaptive"), False), (("--method", "diffgen"), False)],
)
def test_targets_that_nothing_is_chosen_by_are_told(folder, method, is_unused):
    """Where all cells are counted no margin is chosen."""
    facts = json.loads(succeeds(*WHOLE, *method, "--target", "job", "--json"))
    assert facts.get("targets", "").startswith("of no effect") == is_unused
    assert "workload" not in facts
    entries = manifest()["budget"]["entries"]
    assert any("noisy max" in entry["mechanism"] for entry in entries) != is_unused


def test_wrong_targets_and_workloads_are_refused(folder, monkeypatch):
    forbid_noise(monkeypatch)
    Path("w.toml").write_text('[[margin]]\ncolumns = ["sex", "joob"]\n')
    fails(folder, *WHOLE, "--workload", "w.toml", match="Did you mean 'job'")
    fails(folder, *WHOLE, "--workload", "none.toml", match="'none.toml'")
    fails(folder, *WHOLE, "--target", "nobody", match="Received 'nobody'")
    fails(folder, *WHOLE, "--method", "privbayes", "--target", "sex", match="--target")


@pytest.mark.parametrize("method", ["mst", "aim"])
def test_methods_of_a_delta_say_that_they_need_one(method, folder, monkeypatch):
    forbid_noise(monkeypatch)
    fails(folder, *WHOLE, "--method", method, match=["Expected a delta", "1e-9"])
    fails(folder, *WHOLE, "--method", method, "--delta", 1e-3, match="confirmation")


@pytest.mark.slow
@pytest.mark.noise
def test_a_page_draws_no_curve_of_methods_that_expect_no_error(folder, monkeypatch):
    make_quick(monkeypatch)
    asked = ("--method", "diffgen", "--target", "job", "--report", "page.html")
    succeeds(*WHOLE, *asked)
    found = "".join(path.read_text() for path in Path().rglob("page.html*/*.html"))
    assert "Another epsilon" not in found and "value to specialize" in found


@pytest.mark.noise
@pytest.mark.parametrize(
    "options, name",
    [
        (("--method", "dpcocgen", "--variant", "thesis"), "DPCocGen"),
        (("--method", "laplace"), "LaplaceHistogram"),
        (("--method", "privbayes"), "PrivBayes"),
        (("--method", "independent"), "IndependentMargins"),
        (("--method", "p-hpartition"), "PHPartition"),
        (("--method", "diffgen", "--target", "job"), "DiffGen"),
        (("--method", "dp-mhmd", "--workload", "groups.toml"), "DPMHMD"),
    ],
)
def test_every_method(options, name, folder):
    Path("groups.toml").write_text('[[margin]]\ncolumns = ["job", "age"]\n')
    succeeds(*WHOLE, *options)
    assert manifest()["generator"]["name"] == name
    assert manifest()["budget"]["spent"] == 1.0
    assert f"Generator: {name}" in statement()
    if "thesis" in options:
        assert manifest()["generator"]["parameters"]["variant"] == "thesis"
        assert len(manifest()["budget"]["entries"]) == 2


@pytest.mark.slow
@pytest.mark.noise
def test_persons_of_several_rows(folder, monkeypatch):
    used, right = [], private_request.bound_rows

    def bound(*arguments):
        used.append(right(*arguments))
        return used[-1]

    monkeypatch.setattr(private_request, "bound_rows", bound)
    options = ("--person-id", "person", "--rows-per-person", 2)
    succeeds(*WHOLE, *options, "--neighbours", "replace")
    told = manifest()
    assert told["unit"] == "one person, of at most 2 rows"
    assert "number of persons is public" in told["neighbouring_relation"]
    assert {e["sensitivity"] for e in told["budget"]["entries"]} == {4}
    assert "of one answer of a person against another" in statement()
    assert told["rows_used"].startswith("of each person at most 2 rows, drawn at")
    assert f"- Rows used: {told['rows_used']}." in statement()
    assert "no more rows than said" not in statement()
    printed = succeeds(*WHOLE, "--person-id", "person", "--force")
    assert "of each person at most 1 row, drawn at random; counts" in printed
    assert "persons of many rows weigh less" in statement()
    assert [len(frame) for frame in used] == [N_ROWS, (N_ROWS + 1) // 2]
    assert "person" not in pd.read_csv("out.csv").columns


@pytest.mark.slow
@pytest.mark.noise
def test_a_release_that_is_replaced_still_counts(folder):
    """Whoever kept a copy learns from both."""
    told = []
    for epsilon, name in ((1, "out.csv"), (0.5, "out.parquet"), (0.25, "out.csv")):
        options = ("--rows", 5, "--force", "--json", "--output", name)
        facts = json.loads(succeeds(*DECLARED, *options, "--epsilon", epsilon))
        assert [r["sha256"] for r in manifest()["earlier_releases"]] == [
            r["sha256"] for r in told
        ]
        told.append(manifest()["release"])
        assert facts["epsilon_spent"] == epsilon
    assert facts["epsilon_with_earlier_releases"] == manifest()["epsilon_total"] == 1.75
    assert manifest()["statement"] == "0.25-differential privacy (pure: delta is 0)"
    page = statement()
    for release, epsilon in zip(told, (1, 0.5), strict=False):
        assert f"  - {release['file']}, epsilon {epsilon}, " in page
        assert release["sha256"] in page
    assert "Together with this one they spend epsilon 1.75:" in page
    assert (
        "together change the odds of the presence" in page
        and "exp(1.75) < 5.755," in page
    )
    # Under another name, nothing is known of it.
    succeeds(*WHOLE, "--output", "other.csv")
    alone = json.loads(Path("other.manifest.json").read_text())
    assert alone["earlier_releases"] == [] and alone["epsilon_total"] == 1.0
    assert "Released under this name" not in Path("other.statement.md").read_text()
    assert "whoever releases must add them" in Path("other.statement.md").read_text()


@pytest.mark.slow
@pytest.mark.noise
def test_releases_of_other_promises_are_added_in_the_weaker_one(folder):
    """A person replaced is one removed and one added."""
    options = ("--rows", 5, "--force")
    succeeds(*WHOLE, *options)
    succeeds(*DECLARED, *options, "--epsilon", 0.5, "--neighbours", "replace")
    assert manifest()["epsilon_total"] == 2.5
    assert "2.5: neighbouring tables differ by one person's answers" in statement()
    assert run(*ARGUMENTS, *options, "--domain-from-data", "--epsilon", 1,
               "--person-id", "person").exit_code == 0  # fmt: skip
    assert manifest()["epsilon_total"] is None
    succeeds(*WHOLE, *options)
    assert (
        manifest()["epsilon_total"] is None and len(manifest()["earlier_releases"]) == 3
    )
    assert "Together they promise nothing" in statement()
    assert "by a factor of at most exp(1) < 2.719, and" in statement()


@pytest.mark.slow
@pytest.mark.noise
def test_a_release_with_a_delta_says_so_in_both_units(folder):
    succeeds(*WHOLE, "--variant", "adaptive", "--delta", 1e-9)
    told, page = manifest(), statement()
    rho = rho_of(1.0, 1e-9)
    words = f"(1, 1e-09)-differential privacy, by {rho:.6g}-zero-concentrated"
    assert told["statement"].startswith(words)
    budget = told["budget"]
    assert (budget["epsilon"], budget["delta"], budget["rho"]) == (1.0, 1e-9, rho)
    assert budget["spent"] == pytest.approx(rho)
    assert sum(entry["rho"] for entry in budget["entries"]) == pytest.approx(rho)
    assert f"**{words}" in page and f"Spent: rho {rho:.6g} of {rho:.6g}" in page
    assert f"A rho of {rho} is epsilon 1 with delta 1e-09" in page
    assert "| sensitivity | scale of the noise | rho | values |" in page
    assert "was allowed, and none is spent" not in page
    # A changed answer: (1 + e) times delta, rounded up.
    assert "with probabilities of at most 1e-09 and 3.719e-09" in page
    assert (told["epsilon_total"], told["delta_total"]) == (1.0, 1e-9)
    succeeds(*DECLARED, "--epsilon", 0.5, "--neighbours", "replace", "--force")
    told, page = manifest(), statement()
    assert told["statement"] == "0.5-differential privacy (pure: delta is 0)"
    assert told["epsilon_total"] == 2.5
    assert told["delta_total"] == pytest.approx((1 + math.e) * 1e-9)
    assert "epsilon 1 and delta 1e-09, (1, 1e-09)-differential privacy" in page
    assert "they spend epsilon 2.5 and delta 3.71829e-09: neighbouring" in page


@pytest.mark.noise
def test_a_statement_says_what_was_asked_for_and_is_not_so(folder):
    """A number of rows, and a delta that is not spent."""
    succeeds(*WHOLE, "--delta", 1e-9, "-n", 12)
    told, page = manifest(), statement()
    assert told["statement"] == "1-differential privacy (pure: delta is 0)"
    assert "- A delta of 1e-09 was allowed, and none is spent: epsilon" in page
    assert told["release"]["rows_are"] == "as many as were asked for"
    assert "- 12 synthetic rows of 3 columns, as many as were asked for; sha" in page
    assert "- the number of synthetic rows, which was asked for\n" in page


@pytest.mark.slow
@pytest.mark.noise
def test_a_large_delta_is_said_twice(folder):
    fails(folder, *WHOLE, "--delta", 1e-5, match="or a confirmation of a larger")
    fails(folder, *WHOLE, "--delta", 0, match="Expected --delta to be")
    fails(folder, *WHOLE, "--delta", 1e-9, "--method", "laplace", match="--delta")
    succeeds(*WHOLE, "--variant", "adaptive", "--delta", 1e-5, "--large-delta")
    assert manifest()["budget"]["delta"] == 1e-5


def test_a_manifest_from_before_there_were_deltas():
    told = {
        "statement": "x",
        "release": {"file": "a", "sha256": "b"},
        "budget": {"epsilon": 1, "neighbours": "replace"},
    }
    assert told_releases(told)[0]["delta"] == 0.0


@pytest.mark.parametrize(
    "content",
    [
        "kept",
        "[]",
        '{"budget": {"epsilon": 1}}',
        "[" * 100_000,
        "9" * 5000,
        '{"statement": "x", "release": {"file": "a", "sha256": "b"}, '
        '"budget": {"epsilon": -1, "neighbours": "replace"}}',
    ],
)
def test_a_manifest_that_cannot_be_read_is_not_overwritten(
    content, folder, monkeypatch
):
    forbid_noise(monkeypatch)
    Path("out.manifest.json").write_text(content)
    fails(folder, *WHOLE, "--force", match=["manifest of an earlier", "Move it away"])


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("method", ["dpcocgen", "laplace", "privbayes", "independent"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_tables_of_few_rows_are_released(n, method, suffix, folder):
    """To refuse them would tell them from their neighbours."""
    frame = pd.DataFrame({"sex": ["F"], "job": ["cook"], "age": [30]})[:n]
    frame.to_csv("few.csv", index=False)
    frame.to_parquet("few.parquet", index=False)
    arguments = (
        "dp",
        f"few.{suffix}",
        "-o",
        f"out.{suffix}",
        "--domain",
        "domain.toml",
    )
    assert run(*arguments, "--epsilon", 1, "--method", method).exit_code == 0
    read = pd.read_csv if suffix == "csv" else pd.read_parquet
    assert len(read(f"out.{suffix}")) == manifest()["release"]["rows"]


@pytest.mark.noise
def test_the_cell_of_one_person_does_not_change_how_others_are_read(folder):
    """Typed by the column, all 200 rows came out as `other` but beside a text.

    At this epsilon, 1 and 2 get fewer than 150 of about 200 rows once in 1e15 times.
    """
    declared = 'categories = ["1", "2", "3"]\nother = "other"\n'
    Path("domain.toml").write_text(f'[[column]]\nname = "a"\n{declared}')
    cells = ["1", "2"] * 100
    for others in ([], ["unsure"], ["01"], ["2020-01-01"], ["true"]):
        Path("a.csv").write_text("\n".join(["a", *cells, *others]) + "\n")
        succeeds("dp", "a.csv", *WHOLE[2:], "--force", "--method", "laplace")
        rows = pd.read_csv("out.csv", dtype=str)["a"]
        assert rows.isin(["1", "2"]).sum() > 150


@pytest.mark.slow
@pytest.mark.noise
def test_separator_and_encoding_are_said(folder):
    people = pd.read_csv("people.csv").head(50)
    people.to_csv("semi.csv", sep=";", index=False, encoding="utf-16")
    arguments = ("dp", "semi.csv", *WHOLE[2:])
    fails(folder, *arguments, match="not UTF-8")
    fails(folder, *arguments, "--encoding", "utf-16", match="say delimiter=';'")
    fails(folder, *arguments, "--encoding", "none", match="Expected an encoding")
    fails(folder, *arguments, "--delimiter", ";;", match="one ASCII character")
    succeeds(*arguments, "--encoding", "utf-16", "--delimiter", ";")
    assert list(pd.read_csv("out.csv", sep=";").columns) == ["sex", "job", "age"]


@pytest.mark.slow
@pytest.mark.noise
def test_a_domain_of_the_data_is_labelled(folder):
    result = run(
        *ARGUMENTS, "--domain-from-data", "--epsilon", 1, "--person-id", "person"
    )
    assert result.exit_code == 0
    assert "Warning: Expected a domain declared without the data" in result.stderr
    label = "not differentially private: domain taken from the data"
    assert manifest()["statement"] == label and manifest()["domain"]["from_data"]
    assert "**Not differentially private: domain taken from the data.**" in statement()
    assert "the odds" not in statement() and label in result.stdout
    assert list(pd.read_csv("out.csv").columns) == ["sex", "job", "age"]


# what is refused, before any noise is drawn


@pytest.mark.parametrize(
    "options, match",
    [
        (("--bins", 5), ["--bins with --domain-from-data", "'domain.toml'"]),
        (("--large-delta",), ["Received --large-delta alone", "by --delta"]),
        (("--memory", "banana", "--temp", "/nosuch"), "Received --memory, --temp"),
    ],
)
def test_options_of_something_else_are_refused(options, match, folder, monkeypatch):
    forbid_noise(monkeypatch)
    fails(folder, *WHOLE, *options, match=match)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, match",
    [
        ((*WHOLE, "--seed", 1), ["Expected no seed", "take the noise away"]),
        ((*WHOLE, "--domain-from-data"), "Received both"),
        ((*ARGUMENTS, "--epsilon", 1), ["Received neither", "domain --new"]),
        *(
            ((*DECLARED, "--epsilon", epsilon), "Expected --epsilon to be a number")
            for epsilon in (0, -1, "nan", "inf", 1e-12)
        ),
        ((*WHOLE, "--domain", "none.toml"), "Expected a domain in the file"),
        ((*WHOLE, "--domain", "broken.toml"), "to be TOML"),
        ((*WHOLE, "--domain", "empty.toml"), "that lists its columns"),
        ((*WHOLE, "--domain", "narrow.toml"), ["rows outside", "private"]),
        ((*WHOLE, "--domain", "absent.toml"), "Received 'income'"),
        (
            (*WHOLE, "--domain", "persons.toml", "--person-id", "person"),
            "who is in the table",
        ),
        ((*WHOLE, "--rows-per-person", 2), "--person-id"),
        ((*WHOLE, "--person-id", "persons"), "'person'"),
        ((*WHOLE, "--rows", 0), "the number of rows"),
        ((*WHOLE, "--output", "people.csv", "--force"), "apart from its source"),
        ((*WHOLE, "--output", "out.doc"), ".csv"),
        ((*WHOLE, "--output", "none/out.csv"), "none"),
        ((*WHOLE, "--output", "old.csv"), "--force"),
        ((*WHOLE, "--output", "told.csv"), "--force"),
        ((*WHOLE, "--output", "stated.csv"), "--force"),
        ((*WHOLE, "--output", "held.csv", "--force"), "directory"),
        (("dp", "none.csv", *WHOLE[2:]), "no such file"),
    ],
)
def test_errors_leave_nothing_behind(arguments, match, folder, monkeypatch):
    forbid_noise(monkeypatch)
    Path("broken.toml").write_text("[[column\n")
    Path("empty.toml").write_text("")
    for name, changed in {
        "narrow": DOMAIN.replace('other = "rest"', ""),
        "absent": DOMAIN.replace("age", "income"),
        "persons": DOMAIN.replace('"age"', '"person"'),
    }.items():
        Path(f"{name}.toml").write_text(changed)
    for name in ("old.csv", "told.manifest.json", "stated.statement.md"):
        Path(name).write_text("kept")
    Path("held.statement.md").mkdir()
    message = fails(folder, *arguments, match=match)
    assert "okapi" not in message and "Zebedee" not in message
    # Expected; received; what to do.
    assert message.count(". ") >= 1 and message.rstrip().endswith((".", "?"))


@pytest.mark.parametrize("option", [("--method", "gan"), ("--epsilon", "much")])
def test_options_that_do_not_exist(option, folder):
    before = files_in(folder)
    result = run(*WHOLE, *option)
    assert result.exit_code == 2 and "Traceback" not in result.stderr
    assert files_in(folder) == before


def test_epsilon_has_no_default(folder):
    result = run(*DECLARED)
    assert result.exit_code == 2 and "--epsilon" in result.stderr


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("old", [False, True])
def test_a_disk_that_fails_leaves_all_or_nothing(number, old, folder, monkeypatch):
    """Whichever file cannot be written, what was there before is still there."""
    if old:
        succeeds(*WHOLE, "--rows", 5)
    right, calls = os.fsync, count()

    def sync(file):
        if next(calls) == number:
            raise OSError(28, "No space left on device")
        return right(file)

    monkeypatch.setattr(os, "fsync", sync)
    fails(folder, *WHOLE, "--force", match=["No space left", "out.csv"])


@pytest.mark.slow
@pytest.mark.noise
def test_a_fit_whose_rows_meet_nothing_tells_what_it_spent(folder, monkeypatch):
    monkeypatch.setattr(domain_synthesizer, "_TRIES_A_ROW", 1)
    monkeypatch.setattr(domain_synthesizer, "_MIN_TRIES", 1)
    # Within the bounds of the sum, and of no whole number.
    asked = (*WHOLE, "--where", "age + age >= 41, age + age <= 41")
    fails(folder, *asked, match="The epsilon 1 of this fit is spent, whether")
    asked = (*asked, "--method", "mst", "--delta", 1e-9)
    fails(folder, *asked, match="The epsilon 1 and delta 1e-09 of this fit")


@pytest.mark.noise
def test_a_table_never_takes_its_name_without_its_statement(folder, monkeypatch):
    right = os.replace

    def replace(source, target):
        if Path(target).name != "out.csv":
            raise OSError(5, "Input/output error")
        return right(source, target)

    monkeypatch.setattr(os, "replace", replace)
    fails(folder, *WHOLE, match="Input/output error")


PLAN = ("dp", "--plan", "--expected-rows", 50_000, "--domain", "domain.toml")


def test_a_plan_needs_no_table_and_writes_nothing(folder, monkeypatch):
    forbid_noise(monkeypatch)
    Path("people.csv").unlink()
    before = files_in(folder)
    found = json.loads(succeeds(*PLAN, "--epsilon", 1, "--json"))
    assert found["path"] == "histogram" and found["expected_rows"] == 50_000
    assert [query["what"] for query in found["queries"][:2]] == [
        "rows",
        "values of sex",
    ]
    assert {"sex", "job", "age"} < {error["what"] for error in found["errors"]}
    rho = ("--variant", "adaptive", "--delta", 1e-9)
    shown = succeeds(*PLAN, "--epsilon", 1, *rho)
    assert "1e-09" in shown and "counts of a margin" in shown
    assert "largest pair" in shown and "least rows" in shown
    assert "rows of noise" in shown and "mostly noise" not in shown
    assert succeeds(*PLAN, "--epsilon", 0.0001).count("mostly noise") == 1
    of_few = json.loads(succeeds(*PLAN, "--epsilon", 0.0001, "--json"))
    assert of_few["is_mostly_noise"] and not found["is_mostly_noise"]
    assert succeeds(*PLAN, "--epsilon", 1, "--quiet") == ""
    assert files_in(folder) == before


@pytest.mark.slow
def test_a_release_that_is_mostly_noise_says_so(folder, monkeypatch):
    """By the number of rows that noisy counts tell."""
    silence_noise(monkeypatch)
    facts = json.loads(succeeds(*WHOLE, "--json"))
    assert not facts["is_mostly_noise"] and "mostly noise" not in statement()
    assert not manifest()["expected_noise"]["is_mostly_noise"]
    quiet = run(*DECLARED, "--epsilon", 0.001, "--force", "--quiet")
    told = manifest()
    below = told["expected_noise"]["mostly_noise_below_rows"]
    assert told["expected_noise"]["is_mostly_noise"] and below > N_ROWS
    assert f"With about {below:,} rows or more they would" in statement()
    assert quiet.exit_code == 0 and quiet.stdout == ""
    assert quiet.stderr.startswith("Warning: ") and quiet.stderr.count("\n") == 1
    assert "mostly noise" in quiet.stderr and "and spends nothing" in quiet.stderr
    assert told["budget"]["spent"] == pytest.approx(0.001)
    (warning,) = private_warnings(told)
    assert "mostly noise" in warning
    assert "noise: pairs of columns are expected" in warning
    thesis = ("--variant", "thesis", "--force")
    succeeds(*DECLARED, "--epsilon", 1, *thesis)
    assert "expected_noise" not in manifest()


def test_of_one_column_its_values_are_said_to_be_noise(folder, monkeypatch):
    silence_noise(monkeypatch)
    Path("one.toml").write_text("[[column]]" + DOMAIN.split("[[column]]")[1])
    of_one = ("--domain", "one.toml", "--epsilon", 0.0001)
    told = "noise: the values of the column are expected"
    assert told in run(*ARGUMENTS, *of_one).stderr
    assert told in statement() and "pairs" not in statement()
    shown = succeeds("dp", "--plan", "--expected-rows", N_ROWS, *of_one)
    assert told in shown


@pytest.mark.parametrize("method", ["laplace", "privbayes", "mst", "aim", "diffgen"])
def test_baselines_have_plans(method, folder, monkeypatch):
    forbid_noise(monkeypatch)
    needed = {"mst": ("--delta", 1e-9), "aim": ("--delta", 1e-9)}
    needed["diffgen"] = ("--target", "sex")
    asked = (*PLAN, "--epsilon", 1, "--method", method, *needed.get(method, ()))
    assert "share of each" in succeeds(*asked)
    told = json.loads(succeeds(*asked, "--json"))
    shares = [query["times"] * query["share"] for query in told["queries"]]
    assert sum(shares) == pytest.approx(1) and told["least_rows"] is None


def test_a_plan_is_of_no_table_and_a_release_of_one(folder):
    plan = (*PLAN, "--epsilon", 1)
    fails(folder, *plan, "people.csv", match="Received TABLE. Leave it out.")
    fails(folder, *plan, "-o", "out.csv", match="Received --output.")
    fails(folder, *plan, "-n", 50, match="Received --rows. Leave it out.")
    reads = ("--delimiter", ";", "--encoding", "latin-1", "--engine", "duckdb")
    fails(folder, *plan, *reads, match="Received --delimiter, --encoding, --engine.")
    fails(folder, *plan, "--variant", "thesis", match="for which no plan can be made")
    one = ("--epsilon", 1, "--expected-rows", 9)
    fails(
        folder, "dp", "--plan", *one, "--domain-from-data", match="--domain-from-data"
    )
    fails(folder, *PLAN[:2], *PLAN[4:], "--epsilon", 1, match="--plan alone")
    fails(folder, *WHOLE, "--expected-rows", 9, match="--expected-rows alone")
    declared = ("--domain", "domain.toml", "--epsilon", 1)
    fails(folder, "dp", "people.csv", *declared, match="Received no --output.")
    fails(folder, "dp", *declared, match="Received no TABLE and no --output.")


def test_rows_kept_aside_beyond_the_domain_are_said_to_be_those(folder):
    """Nothing is spent: the table itself has no such row."""
    Path("aside.csv").write_text("person,sex,job,age\nYann,F,cook,75\n")
    options = ("--report", "report", "--holdout", "aside.csv")
    fails(folder, *WHOLE, *options, match="Received 'aside.csv'. Column 'age'")
    assert not THREE & {*os.listdir()}
