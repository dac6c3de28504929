"""The commands of the README and of the pages in docs/ do what they say."""

import json
import re
import shlex
from pathlib import Path

import pytest
from support.evaluations import make_quick
from typer.testing import CliRunner

from coclust_synth import __version__, read_table, write_table
from coclust_synth.cli.app import app
from coclust_synth.tables.reading.bundled import bundled_table

ROOT = Path(__file__).parents[2]
PAGES = {
    "README.md": ("schema.toml", "synthetic.csv", "released.csv", "private.csv"),
    "docs/plain.md": ("synthetic.csv", "people.model", "more.parquet", "schema.toml"),
    "docs/plain_method.md": (),
    "docs/reading.md": ("schema.toml",),
    "docs/rules.md": ("schema.toml",),
    "docs/persons.md": ("drawn.csv", "women.csv", "ruled.csv", "even.csv"),
    "docs/persons_method.md": (),
    "docs/plain_figures.md": ("nine.csv",),
    "docs/dates_figures.md": (),
    "docs/persons_figures.md": (),
    "docs/k_anonymity.md": (
        *("released.csv", "released.labels.json", "named.csv", "recoded.csv"),
        *("boxes.csv", "means.csv", "linked.csv", "linked.sensitive.csv"),
        *("arrivals.csv", "arrivals.labels.json", "after.csv", "pay.csv"),
        *("sample.csv", "fraction.csv"),
        *("blurred.csv", "suppressed.csv", "triples.csv"),
        "hierarchies/people_hierarchy_age.toml",
    ),
    "docs/k_anonymity_figures.md": (),
    "docs/private.md": (
        *("declared.toml", "domain.toml"),
        *("private.csv", "private.manifest.json", "private.statement.md"),
    ),
    "docs/perturbation.md": (
        *("changed.csv", "changed.transitions.json", "again/evaluation.csv"),
    ),
    "docs/private_partition.md": (),
    "docs/private_figures.md": (),
    "docs/coclustering.md": (
        "people.khcj",
        "learnt.khcj",
        "grid.khcj",
        "people.html",
        "model.html",
    ),
    "docs/measures.md": ("report/report.html", "report/evaluation.csv"),
    "docs/benchmarks.md": (),
    "docs/glossary.md": (),
    "docs/scale.md": (),
    "docs/architecture.md": (),
    "CONTRIBUTING.md": (),
    "SECURITY.md": (),
}
#: What CONTRIBUTING.md has the reader write.
TO_BE_WRITTEN = {
    "coclust_synth/baselines/halving.py",
    "coclust_synth/tables/relations/multiples.py",
    "coclust_synth/tables/rules/sums/multiples.py",
}


def blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def shell_lines(page):
    return [line for block in blocks(page, "sh") for line in block.splitlines()]


SEARCHING = ("anonymize", "cocluster", "fit", "grid", "hierarchies", "synth")


@pytest.fixture(scope="module")
def bundled():
    return read_table(bundled_table())


@pytest.fixture
def folder(bundled, tmp_path, monkeypatch):
    """Holds a small ``people.csv``, its rows in two parts, and ``stays.csv``.

    What boosting learns of them is not what is tested here: a few trees do.
    """
    make_quick(monkeypatch)
    frame, schema = bundled
    people = frame.drop(columns="fnlwgt").head(600)
    write_table(people, tmp_path / "people.csv", schema)
    write_table(people.head(450), tmp_path / "train.csv", schema)
    write_table(people.tail(150), tmp_path / "test.csv", schema)
    stays = people[["age", "sex", "hours_per_week"]].assign(patient=people.index // 3)
    stays["sex"] = stays.groupby("patient")["sex"].transform("first")
    stays.to_csv(tmp_path / "stays.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_page_is_tried():
    assert {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} < set(PAGES)


TRIED = [
    pytest.param(page, marks=[pytest.mark.slow] * (page != "README.md"))
    for page in PAGES
]


@pytest.mark.slow
@pytest.mark.parametrize("page", TRIED)
def test_commands_run_in_their_order(page, folder):
    for block in blocks(page, "toml"):  # those of files that they name
        name = re.match(r"# (\w+\.toml)\n", block)
        if name:
            (folder / name[1]).write_text(block)
    commands = [line for line in shell_lines(page) if line.startswith("coclust-synth ")]
    assert bool(commands) == bool(PAGES[page])
    for command in commands:
        words = shlex.split(command)[1:]
        if words[0] in SEARCHING and not {"mondrian", "suppress"} & {*words}:
            words += ["--iterations", "3"]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, (command, result.output)
    for name in PAGES[page]:
        assert (folder / name).stat().st_size > 0


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text):
        if "://" in target:
            continue
        path = (ROOT / page).parent / target if target else ROOT / page
        assert path.exists(), target
        if anchor:
            heads = re.findall(
                "^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE
            )
            ids = [
                re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")
                for head in heads
            ]
            assert anchor in ids, (target, anchor)


@pytest.mark.slow
def test_the_main_job_runs_after_the_installation(folder, bundled):
    (line,) = [line for line in shell_lines("README.md") if "demo" in line]
    assert line.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    command = line.split("&&")[-1].strip()
    words = shlex.split(command.removeprefix(".venv/bin/coclust-synth "))
    result = CliRunner().invoke(app, [*words, "--iterations", "1", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["bundled"] and told["rows"] == 48_842
    frame, _ = bundled
    drawn, _ = read_table(folder / "synthetic.csv")
    assert drawn.shape == frame.shape
    assert list(drawn.columns) == list(frame.columns)


def test_the_checks_are_the_readmes_own_command():
    (line,) = [line for line in shell_lines("README.md") if "pytest" in line]
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    # A list of commands stops a script where its last one fails, not where others do.
    assert f"\n{line} || exit\n" in run


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in TRIED if blocks(*p.values, "python")])
def test_python_examples_run(page, folder, capsys):
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_the_code_that_pages_name_exists(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:coclust_synth|tests)/[\w/.]+)`", text))
    assert named
    assert {name for name in named if not (ROOT / name).exists()} <= TO_BE_WRITTEN


def test_the_citation_is_of_this_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {__version__}\n" in text


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200
