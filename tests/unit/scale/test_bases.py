"""Tables of a base are counted where they are, and its password is nowhere."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.commands import fails, succeeds
from support.sources import odd_table

from coclust_synth import CoclusterSynthesizer, HybridKAnonymizer
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.scale import open_source
from coclust_synth.scale.engines import shown_table

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgres://me:s3c@host:5432/base::people", "postgres://me@host:5432/base"),
        ("postgres:/me:s3c@host/base::people", "postgres://me@host/base"),
        ("postgres://me@host/base?password=s3c::people", "postgres://me@host/base"),
        ("postgres://me:s3@c@host/base::people", "postgres://me@host/base"),
        ("postgres://me:s/3?c@host/base::people", "postgres://me@host/base"),
        ("some/file.duckdb::people", "some/file.duckdb"),
    ],
)
def test_an_address_is_shown_without_its_password(address, shown):
    assert shown_table(address) == f"{shown}::people"


def test_an_unknown_kind_of_base_is_refused():
    pytest.importorskip("ibis")
    with pytest.raises(ParameterError, match="Received 'odd://me@host/base'"):
        open_source("odd://me:geheim@host/base::people")


@pytest.mark.parametrize("password", ["ge/heim", "ge?heim", "ge#heim"])
def test_a_password_that_would_be_read_as_a_port_is_refused(password):
    pytest.importorskip("ibis")
    with pytest.raises(ParameterError, match="%2F") as refused:
        open_source(f"postgres://me:{password}@host/base::people")
    assert "heim" not in str(refused.value) and ":ge" not in str(refused.value)


@pytest.mark.slow
def test_a_table_of_another_schema_is_found_by_both_names(tmp_path):
    pytest.importorskip("ibis")
    duckdb = pytest.importorskip("duckdb")
    file = tmp_path / "base.duckdb"
    with duckdb.connect(str(file)) as base:
        base.sql("create schema office")
        base.sql("create table office.people as select 1 as age from range(3)")
        base.sql('create table "odd.people" as select 1 as age from range(5)')
    assert open_source(f"{file}::office.people").n_rows == 3
    assert open_source(f"{file}::odd.people").n_rows == 5
    for name in ("people", "office.others", "home.people"):
        with pytest.raises(TableError, match=rf"SCHEMA\.TABLE\. Received '{name}'"):
            open_source(f"{file}::{name}")


@pytest.fixture(scope="module")
def base(postgres):
    """A base with a table, and its address."""
    import ibis

    connection = ibis.connect(postgres)
    # Postgres has no dictionaries, no bytes of 8 bits and tells no NaN from a number.
    cells = odd_table(4_000).drop_columns(["zoned", "kind"])
    small = cells.schema.get_field_index("small")
    cells = cells.set_column(small, "small", cells["small"].cast(pa.int16()))
    connection.create_table("people", cells)
    with connection.con.cursor() as cursor:
        cursor.execute(
            "create table odd as select i % 40 as age, md5((i % 3)::text)::uuid as u, "
            "('{\"a\":' || i % 5 || '}')::json as js, (i % 90 * .5)::numeric as fee, "
            "('10.0.0.' || i % 7)::inet as ip, int4range(i % 4, 9) as span, "
            "case when i % 50 = 0 then 'NaN'::numeric else i % 9 * 1.5 end as n "
            "from generate_series(1, 2000) i"
        )
        cursor.execute(
            "create schema house; create table house.rooms as "
            "select i % 40 as age from generate_series(1, 700) i"
        )
        cursor.execute(
            "create table worth as select i % 40 as age, (i % 9)::text::money as paid "
            "from generate_series(1, 500) i"
        )
    connection.con.commit()
    connection.disconnect()
    return postgres


@pytest.mark.slow  # starts Postgres
def test_a_base_counts_what_memory_counts(base, tmp_path):
    source = open_source(f"{base}::people")
    assert source.engine == "postgres" and source.n_rows == 4_000
    assert open_source(f"{base}::house.rooms").n_rows == 700
    names = list(source.names)
    cells = odd_table(4_000).select(names).to_pandas()
    cells["fee"] = cells["fee"].astype(float)
    memory = open_source(cells)
    schema = memory.schema(memory.schema().keep(*names))
    for name in names:
        if name == "born":
            continue  # a date here, an object of pandas there
        own, other = (s.column_counts(schema[name]) for s in (source, memory))
        np.testing.assert_array_equal(own.values, other.values)
        np.testing.assert_array_equal(own.counts, other.counts)
        assert own.n_missing == other.n_missing
    found = CoclusterSynthesizer(n_iterations=1, random_state=0)
    found.fit(source, source.schema().keep(*names))
    assert found.model_.n_rows == 4_000
    kept = source.bounded("age", 5)
    counts = kept.column_counts(schema["age"])
    assert set(counts.counts) == {5} and kept.n_rows == 5 * len(counts.values)
    qi = ["age", "town", "fee"]
    model = HybridKAnonymizer(9, quasi_identifiers=qi, others="drop", n_iterations=1)
    release = model.fit_write(
        source, tmp_path / "released", source.schema().keep("age")
    )
    assert release.smallest >= 9 and release.n_rows == 4_000


@pytest.mark.slow
def test_values_that_only_the_base_knows_are_texts(base):
    source = open_source(f"{base}::odd")
    frame = source.sample(10**6, np.random.SeedSequence(0)).frame
    assert frame["js"].nunique() == 5 and frame["ip"].nunique() == 7
    assert frame["u"].nunique() == 3 and sorted(frame["span"].unique())[0] == "[0,9)"
    assert frame["n"].isna().sum() == 40 and frame["fee"].max() == 44.5


@pytest.mark.slow
def test_a_type_that_is_not_handed_over_is_told(base):
    with pytest.raises(TableError, match="another type in a view"):
        open_source(f"{base}::worth").schema()


@pytest.mark.slow
def test_commands_never_tell_the_password(base, tmp_path):
    out, table = tmp_path / "out", f"{base}::people"
    keep = ("--keep", "written", "--keep", "fee")
    said = succeeds("inspect", table, *keep)
    assert "town" in said and base.replace(":geheim", "") in said
    succeeds("synth", table, "-o", out, "--iterations", "1", *keep)
    told = json.loads((out / "_manifest.json").read_text())
    assert told["method"]["parameters"]["engine"] == "postgres"
    assert len(pd.read_parquet(out)) == 4_000
    written = [path.read_bytes() for path in out.rglob("*") if path.is_file()]
    said += fails(tmp_path, "synth", f"{base}::nobody", "-o", tmp_path / "no")
    said += fails(tmp_path, "synth", f"{base}x::people", "-o", tmp_path / "no")
    said += fails(tmp_path, "cocluster", table, "-o", tmp_path / "no.khcj")
    wrong = base.replace(":geheim", ":geheim2")
    said += fails(tmp_path, "inspect", f"{wrong}::people")
    assert "geheim" not in said and not any(b"geheim" in own for own in written)
