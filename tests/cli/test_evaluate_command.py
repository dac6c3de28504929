"""The command `evaluate`."""

import json

import pandas as pd
import pytest
from support.commands import fails, run, succeeds
from support.evaluations import draw_nothing, first_screen, make_quick, people

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, a release of it and a holdout."""
    folder = tmp_path_factory.mktemp("tables")
    for seed, name in enumerate(("real", "holdout", "released")):
        people(120, seed).to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture(autouse=True)
def small_models(monkeypatch):
    make_quick(monkeypatch, trees=3)


@pytest.fixture
def no_pictures(monkeypatch):
    """Of tests that read pages; the first test here draws them."""
    draw_nothing(monkeypatch)


def test_files_and_summary(folder, tmp_path):
    tables = [folder / name for name in ("real.csv", "released.csv")]
    out = tmp_path / "report"
    printed = succeeds(
        "evaluate", *tables, "--holdout", folder / "holdout.csv", "-o", out
    )
    assert "Total variation, sets of 2 columns" in printed
    scores = pd.read_csv(out / "evaluation.csv")
    content = json.loads((out / "evaluation.json").read_text())
    assert "released.csv" in (out / "report.html").read_text()
    assert content["facts"]["n_holdout"] == 120
    assert len(content["scores"]) == len(scores)
    assert scores.set_index("name").loc["mean_total_variation_1", "value"] > 0


def test_without_a_holdout_it_says_so(folder):
    printed = succeeds("evaluate", folder / "real.csv", folder / "released.csv")
    assert "No holdout" in printed
    assert "Membership" not in printed


def test_who_is_sought_and_by_what(folder, tmp_path):
    released = pd.read_csv(folder / "released.csv").assign(home=range(120), weight=3)
    released["home"] //= 4
    released.to_csv(tmp_path / "released.csv", index=False)
    printed = succeeds(
        *("evaluate", folder / "real.csv", tmp_path / "released.csv", "--json"),
        *("--qi", "ward,age", "--household-id", "home", "--weights", "weight"),
    )
    scores = {s["name"]: s["value"] for s in json.loads(printed)["scores"]}
    assert scores["prosecutor_household_mean"] > scores["prosecutor_mean"]
    assert (
        scores["marketer"]
        < scores["prosecutor_mean"]
        == pytest.approx(len(released.groupby(["ward", "age"])) / 120)
    )
    printed = succeeds(
        *("evaluate", folder / "real.csv", folder / "released.csv", "--qi", "age"),
        *("--population", folder / "holdout.csv", "--json"),
    )
    content = json.loads(printed)
    assert content["facts"]["quasi_identifiers"] == ["age"]
    assert {s["name"] for s in content["scores"]} >= {"journalist_largest", "marketer"}


def test_a_manifest_of_another_file_promises_nothing(folder, tmp_path):
    real, released = folder / "real.csv", tmp_path / "r.csv"
    asked = ("--method", "mondrian", "--k", "5", "--qi", "age,ward")
    succeeds("anonymize", real, "-o", released, *asked, "--others", "drop")
    printed = succeeds("evaluate", real, released, "--json")
    assert "k-anonymity with k = 5" in printed
    pd.read_csv(released).head(110).to_csv(released, index=False)
    printed = succeeds("evaluate", real, released, "--json")
    assert "k-anonymity with k" not in printed
    assert "'r.manifest.json' describes another file than this one" in printed


def test_errors_leave_nothing(folder, tmp_path):
    real, released = folder / "real.csv", folder / "released.csv"
    out = ["-o", tmp_path / "report"]
    (tmp_path / "empty.csv").write_text(",".join(people(2)) + "\n")
    fails(tmp_path, "evaluate", real, tmp_path / "empty.csv", *out, match="no row")
    people(50, 3).assign(shoe=42).to_csv(tmp_path / "more.csv", index=False)
    fails(tmp_path, "evaluate", real, tmp_path / "more.csv", *out, match="'shoe'")
    fails(
        tmp_path, "evaluate", real, released, "--holdout", real, *out, match="holdout"
    )
    fails(tmp_path, "evaluate", real, tmp_path / "none.csv", *out, match="no such file")
    fails(folder, "evaluate", real, released, "-o", folder, match="new or empty folder")
    newer = json.dumps({"format": "coclust_synth release", "format_version": 2})
    (tmp_path / "old.manifest.json").write_text(newer)
    released.rename(tmp_path / "old.csv")
    fails(
        *(tmp_path, "evaluate", real, tmp_path / "old.csv", *out),
        match="manifest of format version 1. Received version 2",
    )
    (tmp_path / "old.csv").rename(released)
    for asked, match in (
        (("--qi", "aeg"), "'age'"),
        (("--weights", "cost"), "quasi-identifiers beside cost"),
        (("--weights", "drug", "--qi", "age"), "survey weights"),
        (("--population", tmp_path / "none.csv", "--qi", "age"), "no such file"),
        (("--hierarchies", tmp_path / "none"), "none"),
    ):
        fails(tmp_path, "evaluate", real, released, *asked, *out, match=match)


def test_a_k_anonymous_release_is_read_with_its_labels(folder, tmp_path):
    out = tmp_path / "k.csv"
    result = run(
        *("anonymize", folder / "real.csv", "-o", out, "--k", 5, "--method"),
        *("mondrian", "--qi", "age,ward,drug", "--others", "keep"),
    )
    assert (
        result.exit_code == 0
        and "so many people have a value of their own" in result.stderr
    )
    printed = succeeds("evaluate", folder / "real.csv", out, "--json")
    scores = {(s["name"], *s["columns"]): s for s in json.loads(printed)["scores"]}
    assert scores["smallest_class",]["value"] >= 5
    assert 0 < scores["prosecutor_largest",]["value"] <= 0.2
    assert 0 < scores["information_loss_set",]["value"] < 1
    fails(
        tmp_path, "evaluate", folder / "real.csv", out, "--labels", folder / "real.csv"
    )


def test_synth_reports_on_its_own_release(folder, tmp_path, no_pictures):
    out, report = tmp_path / "out.csv", tmp_path / "report"
    asked = ("synth", folder / "real.csv", "-o", out, "--iterations", 2)
    holdout = ("--holdout", folder / "holdout.csv")
    succeeds(*asked, *holdout, "--report", report, "--trade-off")
    page = (report / "report.html").read_text()
    assert "by the command synth" in page and "rows kept aside" in page
    assert "Clusters of parts" in page and 'id="trade"' in page
    content = json.loads((report / "evaluation.json").read_text())
    assert content["facts"]["n_released"] == len(pd.read_csv(out))
    fails(tmp_path, *asked, "--force", *holdout, match="--report")
    fails(tmp_path, *asked, "--force", "--trade-off", match="--report")
    fails(tmp_path, *asked, "--force", "--report", folder, match="also holds")


def test_the_model_of_a_release_is_on_its_page(folder, tmp_path, no_pictures):
    model, out, report = (tmp_path / n for n in ("m.model", "out.csv", "report"))
    succeeds("fit", folder / "real.csv", "-o", model, "--iterations", 2)
    succeeds("sample", model, "-o", out)
    asked = ("evaluate", folder / "real.csv", out, "--model", model)
    fails(tmp_path, *asked, match="--output")
    asked = (*asked, "-o", report)
    other = tmp_path / "other.csv"
    people(50).rename(columns={"drug": "shoe"}).to_csv(other, index=False)
    fails(
        *(tmp_path, "evaluate", other, out, "--model", model, "-o", report),
        match="one that also has 'drug'",
    )
    fails(tmp_path, *asked[:-3], out, "-o", report, match="plain model")
    succeeds(*asked)
    page = (report / "report.html").read_text()
    own = page[page.index('<h2 id="model">') : page.index('<h2 id="cells">')]
    assert "admitted &lt;= left" in own and "<summary>" in own
    assert "Learnt from 120 rows of 120 individuals" in own
    assert "Clusters of parts" in page


def test_anonymize_reports_on_classes_and_labels(folder, tmp_path, no_pictures):
    out, report = tmp_path / "k.csv", tmp_path / "report"
    asked = ("anonymize", folder / "real.csv", "-o", out, "--k", 5, "--method")
    asked += ("mondrian", "--qi", "age,ward", "--sensitive", "drug")
    holdout = ("--holdout", folder / "holdout.csv")
    fails(tmp_path, *asked, *holdout, match="--report")
    fails(tmp_path, *asked, "--report", report, "--holdout", folder / "real.csv")
    succeeds(*asked, "--report", report, *holdout, "--trade-off")
    page = (report / "report.html").read_text()
    assert "5 (the release)" in page
    first = first_screen(page)
    assert "k-anonymity with k = " in first and "(5 asked)" in first
    assert "classes all rows have the same &#39;drug&#39;" in first
    assert "Information loss, by sets" in first and "Smallest class" in first
    for measure in ("InfoLoss", "ARX", "C_AVG", "DM", "(CM)", "Completeness"):
        assert measure in page[page.index('id="labels"') :]
    content = json.loads((report / "evaluation.json").read_text())
    assert content["release"]["guarantee"].startswith("k-anonymity with k = ")
    assert content["release"]["warnings"][0].startswith("In ")
    assert "Not protected, as the manifest of the release says" in page
    assert "Two releases of the same people can be intersected" in page


def test_a_kept_column_that_tells_people_apart_is_on_both_pages(
    folder, tmp_path, no_pictures
):
    table = pd.read_csv(folder / "real.csv")
    real, out, report = (tmp_path / n for n in ("r.csv", "k.csv", "report"))
    table[["age", "ward"]].assign(pay=range(len(table))).to_csv(real, index=False)
    asked = ("anonymize", real, "-o", out, "--k", 5, "--method", "mondrian")
    asked += ("--qi", "age", "--others", "keep", "--keep", "pay")
    assert run(*asked, "--report", report).exit_code == 0
    assert run("evaluate", real, out, "-o", tmp_path / "again").exit_code == 0
    for page in (report / "report.html", tmp_path / "again" / "report.html"):
        first = first_screen(page.read_text())
        assert "&#39;pay&#39; (100% of them). Whoever knows such a value finds" in first


def test_hierarchies_are_written_out_and_give_a_precision(
    folder, tmp_path, no_pictures
):
    trees = tmp_path / "trees"
    trees.mkdir()
    lines = ["surgery;cut;*", "births;home;*", "geriatrics;home;*"]
    (trees / "real_hierarchy_ward.csv").write_text("\n".join(lines) + "\n")
    succeeds(
        *("anonymize", folder / "real.csv", "-o", tmp_path / "k.csv", "--k", 40),
        *("--method", "flash", "--qi", "ward", "--hierarchies", trees),
        *("--report", tmp_path / "report"),
    )
    page = (tmp_path / "report" / "report.html").read_text()
    assert "Precision (PREC)" in page
    scores = pd.read_csv(tmp_path / "report" / "evaluation.csv").set_index("name")
    assert 0 <= scores.loc["precision", "value"] < 1
    assert "<summary>home</summary>" in page


DOMAIN = """
[[column]]
name = "ward"
categories = ["births", "geriatrics", "surgery"]

[[column]]
name = "age"
low = 18
high = 99
bins = 4
"""


def test_dp_reports_after_the_release_and_outside_of_its_budget(
    folder, tmp_path, no_pictures
):
    domain, out, report = (tmp_path / n for n in ("d.toml", "out.csv", "report"))
    domain.write_text(DOMAIN)
    asked = ("dp", folder / "real.csv", "-o", out, "--epsilon", 1, "--domain", domain)
    real = ("--holdout", folder / "real.csv")
    fails(tmp_path, *asked, "--report", report, *real, match="holdout")
    fails(tmp_path, *asked, "--report", report, "--given", "age>50", match="--given")
    holdout = ("--holdout", folder / "holdout.csv")
    fails(tmp_path, *asked, *holdout, match="--report")
    succeeds(*asked, "--report", report, *holdout)
    page = (report / "report.html").read_text()
    first = first_screen(page)
    assert "1-differential privacy" in first
    assert "after the release, outside of its budget" in first
    assert "ledger of the release does not count" in first
    assert "1 (the release)" in page and "read no row" in page
    assert "of the presence of one person by a factor of at most exp(1)" in page
    content = json.loads((report / "evaluation.json").read_text())
    assert "outside of its budget" in content["outside_the_budget"]
    assert content["facts"]["columns"] == {"ward": "categorical", "age": "integer"}
    succeeds("evaluate", folder / "real.csv", out, "-o", tmp_path / "again")
    again = (tmp_path / "again" / "report.html").read_text()
    assert "What was spent" in again and "outside of its budget" in again
    assert "Nothing is promised" not in page + again
    tested = (*asked[:-2], "--domain-from-data", "--force", "--report", tmp_path / "t")
    assert run(*tested).exit_code == 0
    succeeds("evaluate", folder / "real.csv", out, "-o", tmp_path / "tested")
    for name in ("t", "tested"):
        first = first_screen((tmp_path / name / "report.html").read_text())
        assert "Nothing is promised to any person" in first
