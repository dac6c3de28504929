"""`view`: the page it writes, and how it fails."""

import gzip
import json
import re
from pathlib import Path

import pytest
from support.commands import files_in, run, succeeds

from coclust_synth import CoclusterSynthesizer, read_table
from coclust_synth.reports.view.names import FORMAT_VERSION
from coclust_synth.tables import bundled_table

KHIOPS = Path(__file__).parents[1] / "golden" / "khiops" / "iris_numeric.khcj.gz"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with a report in it."""
    monkeypatch.chdir(tmp_path)
    Path("iris.khcj").write_bytes(gzip.decompress(KHIOPS.read_bytes()))
    return tmp_path


@pytest.mark.slow
def test_the_page_is_one_file_that_loads_nothing(folder):
    told = json.loads(succeeds("view", "iris.khcj", "-o", "iris.html", "--json"))
    page = Path("iris.html").read_text()
    assert told["bytes"] == len(page.encode()) < 3_500_000
    assert told["clusters"] == {"PetalLength": 3, "PetalWidth": 3, "Class": 3}
    # Nothing is fetched: what is referred to is in the page.
    assert "default-src 'none'" in page
    sources = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert sources and all(source.startswith("data:") for source in sources)
    # Without a script there are a picture, a table and words.
    still = page[page.index('<div class="still">') : page.index("</main>")]
    assert "<img" in still and "<table" in still and "More often with" in still
    succeeds("view", "iris.khcj", "-o", "again.html")
    assert Path("again.html").read_text() == page


@pytest.mark.slow
def test_a_model_is_shown(folder):
    frame = read_table(bundled_table())[0].head(300)[["age", "sex", "class"]]
    CoclusterSynthesizer(k=20, n_iterations=2, random_state=0).fit(frame).save("m")
    succeeds("view", "m", "-o", "m.html")
    assert "individuals" in Path("m.html").read_text()


def test_names_are_those_of_a_page(folder):
    names = {
        "format": "coclust_synth cluster names",
        "format_version": 1,
        "dimensions": {"Class": {"{Iris-setosa}": "the <small> ones"}},
    }
    Path("names.json").write_text(json.dumps(names))
    succeeds("view", "iris.khcj", "-o", "iris.html", "--names", "names.json")
    page = Path("iris.html").read_text()
    assert "the &lt;small&gt; ones" in page
    # What the page saves is what is read.
    assert 'const NAMES_FORMAT = "coclust_synth cluster names";' in page
    assert f"const NAMES_VERSION = {FORMAT_VERSION};" in page
    assert "format_version: NAMES_VERSION" in page


def truncated():
    return KHIOPS.read_bytes()[:300]


def changed(**changes):
    content = json.loads(gzip.decompress(KHIOPS.read_bytes()))
    return json.dumps(content | changes).encode()


WRONG = {
    "truncated.khcj.gz": truncated,
    "newer.khcj": lambda: changed(version="12.1"),
    "other.khcj": lambda: changed(tool="Khiops"),
    "cut.khcj": lambda: changed()[:2000],
    "no-grid.khcj": lambda: changed(coclusteringReport={}),
    "table.csv": lambda: b"a,b\n1,2\n",
    "empty.khcj": lambda: b"",
    "zip.model": lambda: b"PK\x03\x04" + bytes(40),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_co_clustering_is_refused(folder, name):
    Path(name).write_bytes(WRONG[name]())
    before = files_in(folder)
    result = run("view", name, "-o", "page.html")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: Expected") and "Received" in result.stderr
    assert result.stderr.count("\n") == 1
    assert name == "zip.model" or "`cocluster` or `grid` of a table" in result.stderr
    assert files_in(folder) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("nowhere.khcj", "-o", "page.html"),
        ("iris.khcj", "-o", "iris.khcj", "--force"),
        ("iris.khcj", "-o", "there.html"),
        ("iris.khcj", "-o", "page.html", "--names", "nowhere.json"),
        ("iris.khcj", "-o", "page.html", "--names", "iris.khcj"),
    ],
)
def test_what_cannot_be_done_is_refused(folder, arguments):
    Path("there.html").write_text("kept")
    before = files_in(folder)
    result = run("view", *arguments)
    assert result.exit_code == 2 and result.stderr.startswith("Error: ")
    assert files_in(folder) == before


def test_odd_texts_do_no_harm(folder):
    text = gzip.decompress(KHIOPS.read_bytes()).decode()
    odd = text.replace("Iris-setosa", "</script><b>" + "e" * 10_000)
    Path("odd.khcj").write_bytes(odd.encode().replace(b"Iris-virginica", b"\xe9"))
    succeeds("view", "odd.khcj", "-o", "odd.html")
    page = Path("odd.html").read_text()
    assert "<b>" not in page and page.count("</script>") == 2
    assert len(page) < 200_000
