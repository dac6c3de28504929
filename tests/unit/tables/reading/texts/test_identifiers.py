import math

import numpy as np
import pandas as pd
import pytest
from support.shared import SHARED, needed

from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.infer import conform, infer_schema
from coclust_synth.tables.reading.settling import settle
from coclust_synth.tables.reading.table import as_table, read_table
from coclust_synth.tables.reading.texts.identifiers import distinct_share
from coclust_synth.tables.schema import Schema

DATA = SHARED / "data"


@pytest.mark.parametrize("n_rows", [30, 500, 501, 900, 4000])
def test_the_share_is_that_of_all_samples_of_500_rows(n_rows):
    rng = np.random.default_rng(n_rows)
    counts = np.bincount(rng.zipf(1.7, n_rows) % 60)
    counts = counts[counts > 0]
    size = min(n_rows, 500)
    missed = [
        math.comb(n_rows - int(c), size) / math.comb(n_rows, size) for c in counts
    ]
    expected = (len(counts) - sum(missed)) / size
    assert distinct_share(counts) == pytest.approx(expected, rel=1e-9)


def zipf(rng, values, n, power=1.0):
    weights = 1 / np.arange(1, len(values) + 1) ** power
    return rng.choice(values, n, p=weights / weights.sum())


def words(rng, n, syllables):
    some = ["ba", "chu", "do", "fe", "gor", "hi", "lam", "mo", "nek", "per", "ro", "su"]
    return np.array(["".join(rng.choice(some, syllables)).title() for _ in range(n)])


def stays(seed=0, n_persons=2500):
    """Several rows a person, and no name of a column that would say so."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n_persons), rng.geometric(0.5, n_persons))
    n = len(person)
    code = rng.permutation(np.arange(100_000, 100_000 + 3 * n_persons))[:n_persons]
    tag = np.array([f"{c // 1000:03d}-{'XYZ'[c % 3]}{c % 1000:03d}" for c in code])
    areas = [f"{c:05d}" for c in rng.choice(95_000, 400, replace=False)]
    illnesses = [f"{c}{i:02d}.{j}" for c in "ABCDEF" for i in range(10) for j in "015"]
    grade = rng.choice(list("ABCDEFG"), n)
    spent = np.exp(rng.normal(9, 0.6, n))
    return pd.DataFrame(
        {
            "k": code[person],
            "tag": tag[person],
            "row": np.arange(n),
            "called": zipf(rng, words(rng, 3000, 4), n, 0.7),
            "trade": zipf(rng, words(rng, 6000, 5), n, 0.5),
            "area": zipf(rng, areas, n, 0.8)[person],
            "illness": zipf(rng, illnesses, n),
            "grade": grade,
            "within": [f"{letter}{rng.integers(1, 6)}" for letter in grade],
            "years": rng.integers(0, 100, n),
            "worked": rng.choice([20, 38, 40, 45], n) + rng.integers(-3, 4, n),
            "spent": spent.astype(np.int64),
            "rounded": (rng.uniform(1000, 90_000, n) // 50 * 50).astype(np.int64),
            "earned": rng.integers(10_000, 900_000, n),
            "owed": spent.round(2),
            "weight": rng.integers(10_000, 99_999, n),
            "seen": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "born": rng.integers(1930, 2010, n) * 10_000
            + 100 * rng.integers(1, 13, n)
            + rng.integers(1, 29, n),
        }
    ).rename(columns={"earned": "yearly income"})


ASKED = ("k", "tag", "row", "called", "trade")


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [None, 501, 501, 501, 700, 1000, 2500, 4000])
def test_a_sample_is_judged_as_its_table(n_rows):
    table = stays()
    if n_rows is not None:
        rows = np.random.default_rng(n_rows).choice(len(table), n_rows, replace=False)
        table = table.iloc[np.sort(rows)]
    assert infer_schema(table).undecided == ASKED


@pytest.mark.slow
def test_a_repeated_identifier_is_told_from_other_codes():
    schema = infer_schema(stays())
    several = "looks like an identifier of persons or households with several rows, "
    assert schema["k"].reason.startswith(several + "codes of one length: 2500")
    assert schema["tag"].reason.startswith(several + "codes of one pattern")
    assert schema["called"].reason.startswith("looks like names or texts by hand")
    assert schema["k"].role == "identifier" and schema["called"].role == "other"
    assert schema.keep("k")["k"].role == "other"


NAMED = (
    "id ID patient_id customerID PassengerId CASEID utilityid subject person hhid "
    "phone_number e-mail case_number IdNumber user.uuid id_of_visit"
).split()
NOT_NAMED = (
    "paid covid thyroid uric_acid valid grid identity width number NO2 n_ids_seen"
)


@pytest.mark.parametrize("name", [*NAMED, *NOT_NAMED.split()])
def test_a_name_says_that_few_values_identify(name):
    # Forty persons, ten rows each, of numbers that say nothing.
    values = np.repeat(np.arange(40) ** 2 + 7, 10)
    schema = infer_schema(pd.DataFrame({name: values, "x": 0.5 + values}))
    assert schema.undecided == ((name,) if name in NAMED else ())


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("first_name", True),
        ("Surname", True),
        ("LAST.NAME", True),
        ("clinic_name", False),
        ("city", False),
        ("rename", False),
    ],
)
def test_names_of_persons_are_asked_about_though_they_repeat(name, asked, rng):
    values = zipf(rng, words(rng, 60, 4), 3000)
    schema = infer_schema(pd.DataFrame({name: values, "x": [1, 2] * 1500}))
    assert schema.undecided == ((name,) if asked else ())


@pytest.mark.parametrize("seed", range(20))
def test_money_is_no_identifier(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(501, 3000))
    spread = np.exp(rng.normal(rng.uniform(7, 13), rng.uniform(0.4, 1.5), n))
    normal = rng.normal(60_000, 12_000, n)
    frame = pd.DataFrame(
        {
            "a": spread.astype(np.int64),
            "b": spread.round(2),
            "c": normal.astype(np.int64),
            "d": np.where(rng.random(n) < 0.05, 0, spread).astype(np.int64),
            "e": np.floor(spread),
            "f": rng.integers(100, 9000, n) * 10,
            "total_cost": rng.permutation(n) + 10_000,
        }
    )
    assert infer_schema(frame).undecided == ()


def sorts():
    """Columns of many values that somebody may name, and none that is a number."""
    rng = np.random.default_rng(3)
    n = 3000
    code = [f"{c}{i:03d}" for c in "BCDJ" for i in range(0, 1000, 5)]
    towns, remarks = words(rng, 900, 4), words(rng, 2000, 6)
    return pd.DataFrame(
        {
            "trade": rng.choice(code, n),
            "area": rng.choice([f"{i:05d}" for i in range(1_000, 90_000, 113)], n),
            "place": rng.choice(towns, n),
            "surname": rng.choice(towns, n),
            "tag": [f"{i:05d}-{i % 7}" for i in rng.permutation(n)],
            "remark": [
                "came {} and {} for {} with {} of {}".format(*rng.choice(remarks, 5))
                for _ in range(n)
            ],
        }
    )


@pytest.mark.slow
def test_codes_are_told_from_texts():
    schema = infer_schema(sorts())
    assert schema["trade"].reason == "looks like codes: 777 different in 3000 values"
    assert schema["place"].reason.startswith("looks like names or texts by hand")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("role", "kept"),
    [
        ("quasi-identifier", ["trade", "area", "place"]),
        ("sensitive", ["trade", "area"]),
        ("other", []),
    ],
)
def test_a_role_settles_that_codes_are_kept(role, kept):
    # Not so the numbers and names of persons, and free text.
    table = sorts()
    assert set(infer_schema(table).undecided) == set(table)
    given = Schema(
        tuple(Column(name=n, treatment="undecided", role=role) for n in table)
    )
    assert conform(table, given).schema.kept.names == tuple(kept)
    if role != "other":
        read = as_table(table)
        assert settle(read, role, *table).schema.kept.names == tuple(kept)


@pytest.mark.slow
def test_what_is_written_otherwise_is_no_identifier(rng):
    cents = rng.permutation(900)
    frame = pd.DataFrame(
        {
            "a": [f"${c // 7:,}.{c % 100:02d}" for c in cents * 991],
            "b": [f"{c % 12 + 1}/{c % 28 + 1}/{1200 + c}" for c in cents],
            "c": pd.date_range("1960-01-01", periods=900).strftime("%d. %b %Y"),
            "d": [f"{c // 60}:{c % 60:02d}.5" for c in cents],
        }
    )
    schema = infer_schema(frame)
    assert schema["a"].reason.startswith("looks like numbers written with signs")
    assert schema["c"].reason.startswith("looks like dates whose `format`")
    assert schema["d"].reason.startswith("looks like times or durations")
    assert {schema[name].role for name in "acd"} == {"other"}


@pytest.mark.parametrize(
    ("layout", "is_date"),
    [
        ("%d. %b %Y", True),
        ("%Y/%j", True),
        ("%Y%m%dT%H", True),
        ("%a %d %b %Y %H:%M:%S.123456+0200", True),
        ("%d %B de %Y", True),
        ("%Y-00%j%d", False),
        ("%Y_Gov-G_%j", False),
        ("F%Y/%j%H", False),
    ],
)
def test_numbers_behind_a_year_are_no_dates(layout, is_date):
    days = pd.Timestamp("1960-01-01") + pd.to_timedelta(np.arange(900), unit="D")
    reason = infer_schema(pd.DataFrame({"x": days.strftime(layout)}))["x"].reason
    assert ("dates" in reason) == is_date
    assert ("identifier" in reason) != is_date


@pytest.mark.parametrize(
    "write",
    [
        lambda i: f"{2000 + i // 40}-{i % 40 + 1:02d}",
        lambda i: f"{i % 97 + 1:02d}~{i % 31 + 1:02d}~{1950 + i % 60}",
        lambda i: f"{i % 97 + 1:02d}/{i // 90 + 1:02d}/{i % 90:02d}",
        lambda i: f"N{2000 + i // 90}{i % 90 + 10}",
    ],
)
def test_numbers_of_which_none_is_a_month_are_no_dates(write):
    texts = list(map(write, range(900)))
    reason = infer_schema(pd.DataFrame({"x": texts}))["x"].reason
    assert "looks like an identifier" in reason


def test_years_beside_words_are_no_dates():
    """Races of an election: of words that dates have none is there."""
    states = [f"{a}{b}" for a in "ABCDEFGHIJKLMN" for b in "KLMNOPQ"]
    races = [f"{1998 + i % 12}_Gov-G_{state}" for i, state in enumerate(states * 9)]
    reason = infer_schema(pd.DataFrame({"race": races}))["race"].reason
    assert "dates" not in reason and "different in 882 values" in reason


def test_remarks_that_most_rows_lack_are_free_text():
    remark = "seen on day {} after a fall from a ladder"
    remarks = [remark.format(i) for i in range(25)]
    columns = {"a": remarks, "b": remarks[:1] * 25, "c": [*"abcdefghijklmnopqrstuvwxy"]}
    frame = pd.DataFrame({name: ["none"] * 75 + own for name, own in columns.items()})
    schema = infer_schema(frame)
    assert schema["a"].reason.startswith("looks like free text of")
    assert schema.undecided == ("a",)


# What must be asked about in each of the shared tables, and nothing else.
REAL = {
    "adult.csv.gz": "",
    "adult_arx_30162.csv.gz": "",
    "casc/census.csv": "",
    "casc/eia.csv": "UTILITYID UTILNAME",
    "casc/tarragona.csv": "",
    "tables/budgetfood.csv.gz": "",
    "tables/covid.csv.gz": "rownames subject_id fake_first_name fake_last_name",
    "tables/loans.csv.gz": "emp_title",
    "tables/telco.csv.gz": "customerID",
    "tables/titanic.csv.gz": "PassengerId Name Ticket Cabin",
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.parametrize("path", REAL)
def test_halves_of_a_real_table_are_judged_as_the_whole(path):
    needed(DATA / path)
    # A column of EIA's, and some of a sample, hold one value.
    frame, schema = read_table(DATA / path)
    asked = tuple(REAL[path].split())
    assert schema.undecided == asked
    order = np.random.default_rng(0).permutation(len(frame))
    for n_rows in (501, len(frame) // 2, int(0.8 * len(frame))):
        if 500 < n_rows < len(frame):
            sample = infer_schema(frame.iloc[np.sort(order[:n_rows])])
            assert sample.undecided == asked


def test_integers_that_are_equal_as_decimals_are_read_without_a_warning():
    own = pd.DataFrame({"v": 9 * 10**18 + np.arange(40) ** 2 % 401, "x": range(40)})
    assert infer_schema(own)["v"].kind == "integer"


@pytest.mark.parametrize(
    "name", ["reading", "meter_reading", "odometer", "area", "MonthlyRate", "avg.rent"]
)
def test_what_is_measured_is_no_identifier(name):
    numbers = np.random.default_rng(0).permutation(50_000)[:2000]
    assert infer_schema(pd.DataFrame({"x": numbers})).undecided == ("x",)
    assert infer_schema(pd.DataFrame({name: numbers})).undecided == ()


def test_long_numbers_of_one_length_that_all_differ_are_identifiers():
    """Also where they are not spread evenly, as numbers that begin with a day."""
    rng = np.random.default_rng(0)
    day = rng.integers(1, 4, 500) ** 4
    number = 20_240_000_000 + 1_000_000 * day + rng.permutation(500)
    schema = infer_schema(pd.DataFrame({"record": number, "bytes": number // 1000}))
    assert "codes of one length" in schema["record"].reason
    assert schema["bytes"].role == "other"
