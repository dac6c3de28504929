"""What an engine counts gets the noise that the rows themselves would get."""

import json

import numpy as np
import pandas as pd
import pytest
from support.commands import run
from support.sources import as_folder, odd_table

from coclust_synth import Domain, DPCocGen
from coclust_synth.baselines import AIMSynthesizer
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.privacy.noise.ledger import PrivacyLedger
from coclust_synth.scale import open_source
from coclust_synth.tables.domain.rows import DomainRows
from coclust_synth.tables.reading.table import read_texts

DECLARED = {
    "town": {"categories": ["Ulm", "ulm"], "other": "elsewhere", "missing": "?"},
    "flag": {"categories": [True, False], "missing": "?"},
    "age": {"low": 0, "high": 100, "bins": 5},
    "temperature": {"low": -5, "high": 10, "bins": 6, "missing": "none", "clamp": True},
    "fee": {"low": -100, "high": 900, "bins": 4, "missing": "none", "clamp": True},
    "zero": {"categories": ["0", "0.5", "1"]},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    some = odd_table(2_000).select([*DECLARED, "children", "small"])
    return as_folder(some, tmp_path_factory.mktemp("private") / "table")


@pytest.fixture(scope="module")
def domain():
    return Domain.from_dict(DECLARED)


def texts_of(folder, names):
    return pd.concat([read_texts(file, names) for file in sorted(folder.iterdir())])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_rows_are_counted_as_their_texts_are_read(folder, domain, engine):
    found = open_source(folder, engine).domain_rows(domain)
    codes = domain.encode(texts_of(folder, domain.names))
    distinct, counts = np.unique(codes, axis=0, return_counts=True)
    rows = 1 if found.rows is None else found.rows
    again = np.repeat(found.codes, rows, axis=0)
    others = np.unique(again, axis=0, return_counts=True)
    np.testing.assert_array_equal(others[0], distinct)
    np.testing.assert_array_equal(others[1], counts)
    assert len(found) == 2_000


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["adaptive", "blocks"])
def test_each_query_asks_for_the_same_counts(folder, domain, variant, monkeypatch):
    """Without noise both ways of holding rows give one sequence of queries."""
    asked = []

    def exact(self, counts, **options):
        asked[-1].append(np.asarray(counts).tolist())
        return noisy(self, np.zeros_like(counts), **options) * 0 + np.asarray(counts)

    def best(self, scores, **options):
        asked[-1].append(np.asarray(scores).tolist())
        return int(np.argmax(scores))

    noisy = PrivacyLedger.noisy_counts
    monkeypatch.setattr(PrivacyLedger, "noisy_counts", exact)
    monkeypatch.setattr(PrivacyLedger, "exponential", best)
    some = domain.select(["town", "age", "fee", "flag"])
    for table in (texts_of(folder, some.names), folder):
        asked.append([])
        DPCocGen(5.0, some, variant=variant).fit(table)
    assert len(asked[0]) > 3 and asked[1] == asked[0]


def test_a_row_more_is_one_more_in_one_count():
    codes = np.array([[0, 1], [1, 1], [0, 1]])
    weighted = DomainRows(codes[:2], np.array([2, 1]))
    assert len(weighted) == len(DomainRows.of(codes)) == 3
    for j in (0, 1):
        own = weighted.select([j])
        assert (
            own.count(own.codes[:, 0], 2).tolist()
            == np.bincount(codes[:, j], minlength=2).tolist()
        )


def test_what_looks_at_rows_one_by_one_is_refused(folder, domain):
    with pytest.raises(ParameterError, match="AIMSynthesizer"):
        AIMSynthesizer(1.0, domain, delta=1e-9).fit(folder)
    with pytest.raises(ParameterError, match="variant"):
        DPCocGen(1.0, domain, variant="thesis").fit(folder)


def test_cells_and_columns_that_are_not_declared_are_refused(folder):
    with pytest.raises(TableError, match="no cell"):
        DPCocGen(1.0, {"flag": [True, False]}).fit(folder)  # some are missing
    with pytest.raises(TableError, match="'nothing'"):
        DPCocGen(1.0, {"nothing": ["a", "b"]}).fit(folder)


@pytest.mark.slow
def test_a_folder_is_released_with_a_statement(folder, domain, tmp_path):
    declared = tmp_path / "domain.toml"
    domain.select(["town", "age", "flag"]).save(declared)
    output = tmp_path / "private.csv"
    common = ["dp", folder, "-o", output, "--epsilon", 2, "--domain", declared]
    done = run(*common, "--person-id", "children", "--rows-per-person", 40, "--json")
    assert done.exit_code == 2 and "rows that do not" in done.stderr
    done = run(*common, "--person-id", "small", "--rows-per-person", 4, "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert 600 < told["rows"] < 1_000  # 200 persons of about 10 rows, 4 of each
    statement = (tmp_path / "private.statement.md").read_text()
    assert "query history and event logs" in statement
    manifest = json.loads((tmp_path / "private.manifest.json").read_text())
    assert any("caches of results" in one for one in manifest["outside_the_budget"])
    for option in (["--report", tmp_path / "report"], ["--recode", declared]):
        done = run(*common, "--force", *option)
        assert done.exit_code == 2 and option[0] in done.stderr
