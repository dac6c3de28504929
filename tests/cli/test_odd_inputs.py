"""Files that nobody means to give: one clear line, exit code 2, nothing written."""

import gzip
import json
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from support.commands import fails, run, succeeds

from coclust_synth import SchemaError, TableError, infer_schema, read_table, write_table
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.schema import Schema

ROWS = [f"{20 + i % 7},{'abc'[i % 3]},{'MF'[i % 2]}" for i in range(60)]
GOOD = "\n".join(["a,b,c", *ROWS]) + "\n"
NINES = "9" * 5000
LONG = "x" * 140_000
HIERARCHIES = ("--hierarchies", "h")
TEXTS = {"column": [{"name": n, "treatment": "keep"} for n in "abc"]}
DEPTHS = (150, 900, 1100, 100_000)


def odd(cell, column=0):
    """The good table with one other cell."""
    cells = ROWS[3].split(",")
    cells[column] = cell
    return GOOD.replace(ROWS[3], ",".join(cells), 1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(GOOD)
    return tmp_path


@pytest.mark.parametrize("cell", [NINES, f"-{NINES}", "1e999999", f"1e{NINES}"])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_numbers_that_no_number_holds_stay_texts(folder, cell, name):
    data = odd(cell).encode()
    Path(name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    frame, schema = read_table(name, Schema.from_dict(TEXTS))
    assert schema["a"].kind == "categorical" and cell in set(frame["a"])
    result = run("inspect", name)
    assert result.exit_code == 0, result.stderr
    numbers = {"column": [{"name": "a", "kind": "real"}, *TEXTS["column"][1:]]}
    with pytest.raises(SchemaError, match="expected cells of kind real"):
        read_table(name, Schema.from_dict(numbers))


@pytest.mark.parametrize(
    "text",
    [
        odd(LONG, 1),
        odd(f'"{LONG}"', 1),
        odd(f'"{LONG}', 1),
        odd(f"{LONG},1", 1),
        GOOD.replace("b", LONG, 1),
    ],
    ids=["cell", "quoted", "not closed", "ragged", "name"],
)
@pytest.mark.parametrize("command", ["inspect", "check"])
def test_fields_that_are_whole_texts(folder, text, command):
    Path("t.csv").write_text(text)
    more = () if command == "inspect" else ("--qi", "a", "--k", "2")
    message = fails(folder, command, "t.csv", *more)
    assert len(message) < 2000


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], [2, 3]] * 30),
        pa.array([{"x": 1}, {"x": 2}] * 30),
        pa.array([[("k", 1)], []] * 30, pa.map_(pa.string(), pa.int64())),
        pa.array(["u", None] * 30).dictionary_encode(),
        pa.array([1, 2] * 30, pa.duration("us")),
        pa.array([Decimal("1.5"), Decimal(10) ** 35] * 30, pa.decimal128(38, 2)),
        pa.array([1, 2] * 30, pa.time64("us")),
        pa.array([b"\xff\x00", b"a"] * 30),
        pa.nulls(60),
        pa.array([2**64 - 1, 1] * 30, pa.uint64()),
    ],
    ids=lambda values: str(values.type),
)
def test_parquet_columns_of_every_type(folder, values):
    table = pa.table({"a": list(range(60)), "b": ["x", "y"] * 30, "z": values})
    pa.parquet.write_table(table, "t.parquet")
    for arguments in (("inspect",), ("check", "--qi", "z"), ("synth", "-o", "o.csv")):
        command, *more = arguments
        result = run(command, "t.parquet", *more, "--json")
        assert result.exit_code in (0, 2), result.exception
        assert (result.stderr.count("Error: ") == 1) == (result.exit_code == 2)


def test_parquet_texts_that_are_no_utf8(folder):
    offsets = pa.array(range(0, 121, 2), pa.int32()).buffers()[1]
    texts = pa.StringArray.from_buffers(60, offsets, pa.py_buffer(b"\xff\xfe" * 60))
    pa.parquet.write_table(pa.table({"a": ["x", "y"] * 30, "z": texts}), "t.parquet")
    fails(folder, "inspect", "t.parquet", match="Column 'z'")


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("opening, closing", ["[]", ("{a=", "}")])
def test_declarations_that_are_nested(folder, depth, opening, closing):
    nested = opening * depth + "1" + closing * depth
    Path("s.toml").write_text(f'[[column]]\nname = "a"\ncategories = [{nested}]\n')
    for read in (Schema.load, Domain.load):
        with pytest.raises(SchemaError, match="within each other, more than 100 deep"):
            read("s.toml")
    fails(folder, "inspect", "good.csv", "--schema", "s.toml", match="deep")


@pytest.mark.parametrize("number", [NINES, f"0x{'f' * 5000}", "true", "inf", "nan"])
def test_declarations_of_numbers_that_are_none(folder, number):
    column = f'[[column]]\nname = "a"\nkind = "real"\nstep = {number}\n'
    Path("s.toml").write_text(column + '[[column]]\nname="b"\n[[column]]\nname="c"\n')
    assert len(fails(folder, "inspect", "good.csv", "--schema", "s.toml")) < 2000


@pytest.mark.parametrize("value", ['{decimal = "sNaN"}', f'{{decimal = "{NINES}x"}}'])
def test_declarations_of_decimals_that_are_none(folder, value):
    Path("s.toml").write_text(f'[[column]]\nname = "a"\ncategories = [{value}]\n')
    assert len(fails(folder, "inspect", "good.csv", "--schema", "s.toml")) < 2000


@pytest.mark.parametrize("depth", DEPTHS)
def test_json_files_that_are_nested(folder, depth):
    nested = "[" * depth + "]" * depth
    Path("r.khcj").write_text(f'{{"tool": {nested}}}')
    fails(folder, "report", "r.khcj", match="co-clustering report")
    Path("h").mkdir()
    Path("h/t_hierarchy_a.json").write_text(f'{{"format": {nested}}}')
    result = run("anonymize", "good.csv", "--k", "2", "-o", "o.csv", *HIERARCHIES)
    assert result.exit_code == 2 and not Path("o.csv").exists()
    assert result.stderr.startswith("Error: Expected a hierarchy")


def test_hierarchies_of_long_labels(folder):
    Path("h").mkdir()
    Path("h/t_hierarchy_a.csv").write_text(f"{LONG};*\n")
    fails(
        folder,
        *("anonymize", "good.csv", "--k", "2", "-o", "o.csv", *HIERARCHIES),
        match="from line 1 on",
    )


def test_reports_with_texts_for_numbers(folder):
    succeeds("cocluster", "good.csv", "-o", "r.khcj", "--iterations", "1", "--quiet")
    content = json.loads(Path("r.khcj").read_text())
    for place in (
        content["coclusteringReport"]["summary"],
        content["coclusteringReport"]["dimensionHierarchies"][0]["clusters"][0],
    ):
        for key in ("instances", "cost", "frequency", "hierarchicalLevel", "rank"):
            if key in place:
                before, place[key] = place[key], []
                Path("q.khcj").write_text(json.dumps(content))
                fails(folder, "report", "q.khcj", match="where a number is expected")
                place[key] = before


NAME = "n" * 252  # with the ending one byte too long


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", f"{NAME}.csv"),
        ("inspect", "good.csv", "--schema", NAME * 2),
        ("inspect", "good.csv", "-o", NAME * 2),
        ("fit", "good.csv", "-o", NAME * 2),
        ("sample", NAME * 2, "-o", "o.csv"),
        ("synth", "good.csv", "-o", f"{NAME}.csv"),
        ("synth", NAME * 2, "-o", "o.csv"),
        ("report", NAME * 2),
        ("cocluster", "good.csv", "-o", NAME * 2),
        # The table's name would do, that of what comes with it not.
        ("anonymize", "good.csv", "--k", "2", "-o", f"{'n' * 248}.csv"),
        ("anatomy", "good.csv", "--l", "2", "-o", f"{'n' * 248}.csv"),
        ("dp", "good.csv", "--epsilon", "1", "--domain", "d", "-o", f"{'é' * 124}.csv"),
        ("anonymize", "good.csv", "--k", "2", "-o", "o.csv", "--hierarchies", NAME * 2),
        ("check", "good.csv", "-o", NAME * 2),
        ("check", f"{NAME}.csv", "--qi", "a"),
        ("hierarchies", "good.csv", "-o", NAME * 2),
        ("domain", "--new", NAME * 2, "--columns", "a"),
        ("cocluster", "good.csv", "--id", "", "-o", "r.khcj"),
        ("grid", "good.csv", "--frequency", "", "-o", "r.khcj"),
        ("inspect", "good.csv", "--drop", ""),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_names_that_no_file_or_column_has(folder, arguments):
    fails(folder, *arguments)


def test_columns_whose_names_no_file_can_have(folder):
    Path("t.csv").write_text(GOOD.replace("a", "é" * 120, 1))
    fails(folder, "hierarchies", "t.csv", "-o", "h", match="fit in the name of a file")


@pytest.mark.parametrize(
    "value, shown", [(float("inf"), "inf"), (None, None)], ids=["infinite", "missing"]
)
def test_classes_at_risk_of_odd_values(folder, value, shown):
    table = pa.table({"a": [1.5, 2.5, value, 1.5, 2.5], "b": list("xyxyx")})
    pa.parquet.write_table(table, "t.parquet")
    result = run("check", "t.parquet", "--qi", "a", "--k", "2", "--json")
    assert result.exit_code == 1, result.exception
    (risk,) = json.loads(result.stdout)["classes_at_risk"]
    assert risk["labels"] == {"a": shown}


def test_texts_that_no_file_can_hold(folder):
    frame = pd.DataFrame({"a": ["x", "\ud800"]}, dtype=object)
    with pytest.raises(TableError, match="that UTF-8 can hold"):
        write_table(frame, "o.csv", infer_schema(frame))


@pytest.mark.parametrize("title", ["sep=;", "Stays; 2024"])
def test_a_title_above_the_names_is_told(tmp_path, monkeypatch, title):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(f"{title}\nage;sex;job\n31;F;a\n52;M;b\n")
    told = "Line 2 must have", "remove what stands above the names of the columns"
    fails(tmp_path, "inspect", "t.csv", match=told)


def test_no_sum_or_square_is_taken_that_no_float_holds(folder):
    rows = [
        f"{1e308 / (1 + i % 30)},{i % 13}e200,{'1e308' if i == 7 else i % 17 + 0.5}"
        for i in range(90)
    ]
    Path("large.csv").write_text("\n".join(["a,b,c", *rows]))
    succeeds("synth", "large.csv", "-o", "drawn.csv", "--quiet", "--iterations", 1)
    assert 1e307 < pd.read_csv("drawn.csv")["a"].max() <= 1e308


@pytest.mark.slow
def test_rows_of_persons_with_numbers_near_the_largest_float_are_drawn(folder):
    rows = [f"{i // 5},{1e308 / (1 + 7 * i % 30)},{i % 5}" for i in range(300)]
    Path("large.csv").write_text("\n".join(["id,v,t", *rows]))
    asked = "--person-id", "id", "-o", "drawn.csv", "--quiet", "--iterations", 1
    succeeds("synth", "large.csv", *asked)
    assert 1e307 < pd.read_csv("drawn.csv")["v"].max() <= 1e308


def test_values_whose_distance_no_float_holds_are_refused(folder):
    rows = [f"{(-1) ** i * (1e308 + i * 1e305)},{i % 7}" for i in range(60)]
    Path("wide.csv").write_text("\n".join(["a,b", *rows]))
    told = "highest less the lowest is a finite number. Received -1.059e+308 and 1.05"
    fails(folder, "synth", "wide.csv", "-o", "drawn.csv", match=told)
