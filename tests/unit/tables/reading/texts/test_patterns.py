import random
from dataclasses import replace

import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, SchemaError, infer_schema
from coclust_synth.tables.reading.infer import conform, parse_text
from coclust_synth.tables.reading.settling import settle, settle_patterns
from coclust_synth.tables.reading.table import as_table
from coclust_synth.tables.reading.texts.patterns import (
    Pattern,
    are_in_patterns,
    are_of_units,
    find_marks,
    find_patterns,
    split_text,
)
from coclust_synth.tables.schema import Schema


def some(write, n=300):
    """Different texts, written of random numbers."""
    draw = random.Random(0).randint
    return list(dict.fromkeys(write(draw) for _ in range(n)))


def pressure(draw):
    low = draw(50, 100)
    return f"{low + draw(20, 90)}/{low}"


def healthy_pressure(draw):
    low = draw(65, 95)
    return f"{low + draw(35, 55)}/{low}"


MEASURES = {
    "pressure": pressure,
    "pressures that do not meet": healthy_pressure,
    "range": lambda draw: (lambda low: f"{low}-{low + draw(1, 30)}")(draw(1, 90)),
    "size": lambda draw: f"{draw(10, 99) / 10} x {draw(10, 99) / 10} m",
    "comma": lambda draw: f"{draw(1, 9)},{draw(1, 9)} x {draw(1, 9)},{draw(1, 9)} m",
    "cube": lambda draw: f"{draw(9, 150)}x{draw(9, 150)}x{draw(9, 150)} cm",
    "hours": lambda draw: f"{draw(0, 12)}h {draw(0, 59):02}m",
    "feet": lambda draw: f"{draw(4, 6)}'{draw(0, 11)}\"",
    "dose": lambda draw: f"{draw(1, 50) * 5} mg / {draw(1, 20)} ml",
    "units": lambda draw: f"{draw(1, 60)} {('days', 'weeks')[draw(0, 1)]}",
    "parted": lambda draw: f"{draw(1000, 22000):,} km / {draw(1, 140)} months",
    "torque": lambda draw: f"{draw(90, 300)}Nm@ {draw(10, 40) * 100}rpm",
    "capitals": lambda draw: f"{draw(1, 400)}{('KG', 'LB')[draw(0, 1)]}",
    "prefixes": lambda draw: f"{draw(1, 400)} {('Mbit/s', 'Gbit/s')[draw(0, 1)]}",
    "abbreviated": lambda draw: f"{draw(1, 400)} {('Std.', 'Min.')[draw(0, 1)]}",
    "long": lambda draw: f"{draw(1, 400)} {('Sekunden', 'Minuten')[draw(0, 1)]}",
    "thousands and millions": lambda draw: (
        f"{draw(10, 900)}k" if draw(0, 1) else f"{draw(10, 99) / 10}M"
    ),
    "money": lambda draw: f"€{draw(1, 900)}{'KM'[draw(0, 1)]}",
    "range of money": lambda draw: (lambda low: f"${low}K-${low + draw(1, 40)}K")(
        draw(30, 150)
    ),
    "some words": lambda draw: (pressure(draw), "refused")[draw(0, 50) == 0],
}
OTHERS = {
    "phone": lambda draw: f"{draw(200, 999)}-{draw(200, 999)}-{draw(0, 9999):04}",
    "groups": lambda draw: " ".join(str(draw(1000, 9999)) for _ in range(4)),
    "postcode": lambda draw: f"{draw(1000, 9999)} {'ABCDEFG'[draw(0, 6)]}X",
    "zip": lambda draw: f"{draw(10000, 99999)}-{draw(0, 9999):04}",
    "date": lambda draw: f"{draw(1, 12)}/{draw(1, 28)}/{draw(1950, 2020)}",
    "day": lambda draw: f"{draw(1, 12)}/{draw(1, 28)}",
    "day of month": lambda draw: f"{draw(1, 28)} {('Jan', 'June')[draw(0, 1)]}",
    "disease": lambda draw: f"{'ABCDE'[draw(0, 4)]}{draw(10, 99)}.{draw(0, 9)}",
    "case": lambda draw: f"{draw(2015, 2020)}/{draw(1, 999)}",
    "case of a court": lambda draw: f"{draw(10**7, 10**8)}{'CM'[draw(0, 1)]}F10A",
    "version and word": lambda draw: (
        f"{draw(4, 9)}.{draw(1, 99)}{(' LTS', '')[draw(0, 1)]}"
    ),
    "tiny": lambda draw: f"{draw(1, 9)}.{draw(1, 999)}e-0{draw(5, 9)}",
    "article": lambda draw: f"{draw(10, 99)}X{draw(1000, 9999)}",
    "address": lambda draw: ".".join(str(draw(1, 255)) for _ in range(4)),
    "version": lambda draw: f"{draw(1, 25)}.{draw(1, 25)}.{draw(1, 25)}",
    "plate": lambda draw: f"{draw(10, 99)}{('KA', 'LB', 'MX')[draw(0, 2)]}",
    "seat": lambda draw: f"{draw(1, 40)}{'ABCDEF'[draw(0, 5)]}",
    "house": lambda draw: f"{draw(1, 400)}{('', 'B', 'K')[draw(0, 2)]}",
    "engine": lambda draw: f"{draw(10, 80) / 10}{'BKT'[draw(0, 2)]}",
    "score": lambda draw: f"{draw(0, 20)}-{draw(0, 20)}",
    "place": lambda draw: f"{draw(0, 200) / 10}, {draw(0, 200) / 10}",
    "flat": lambda draw: f"{draw(101, 900)}/{draw(1, 40)}",
    "interval": lambda draw: f"[{draw(0, 99)},{draw(100, 199)})",
    "one unit": lambda draw: f"{draw(1, 400)} kg",
    "checked": lambda draw: f"{draw(1000, 9999)}-{draw(0, 9)}",
    "minutes": lambda draw: f"{draw(10, 99)}:{draw(0, 59):02}",
    "rank": lambda draw: f"{draw(1, 9)}{draw(4, 9)}{('st', 'th')[draw(0, 1)]}",
}


@pytest.mark.parametrize("name", MEASURES)
def test_numbers_in_patterns_are_told(name):
    texts = some(MEASURES[name])
    assert are_in_patterns(texts)
    assert not are_in_patterns(texts[:19])


@pytest.mark.parametrize("name", OTHERS)
def test_codes_dates_and_single_units_are_not(name):
    assert not are_in_patterns(some(OTHERS[name]))


@pytest.mark.parametrize(
    "texts, marks, patterns",
    [
        (["1,5 x 2,25 m", "0,5 x 1,0 m"], "comma", ["0,0 x 0,0# m"]),
        (["800 km", "1,200 km"], "thousands", ["0,000 km"]),
        (["1h 05m", "2h 40m", "3h 5m"], "", ["0h 00m", "0h 0m"]),
        (["7.50 g", "12 g", "7.25 g", "1 g"], "", ["0.00 g", "0.## g"]),
        (["#1 of 2", "none"], "", [None]),
        (["7,5 m", *["1,200 m"] * 9], "thousands", ["0,0 m", "0,000 m"]),
    ],
)
def test_patterns_are_those_that_write_the_texts(texts, marks, patterns):
    assert find_marks(texts) == marks
    found = [None if own is None else str(own) for own in find_patterns(texts, marks)]
    assert [*dict.fromkeys(found)] == patterns
    for own in filter(None, found):
        assert str(Pattern.parse(own, marks)) == own


def test_numbers_are_written_with_the_digits_of_the_pattern():
    assert Pattern.parse("0.0# x 000").write([2, 7.4]) == "2.0 x 007"
    assert (
        Pattern.parse("0,000.00 /0", "thousands").write([1e5, 12]) == "100,000.00 /12"
    )
    assert split_text("a 7", "") == (("a ", ""), ["7"])


def test_the_format_is_found_in_files_and_frames_and_can_be_struck():
    frame = pd.DataFrame({"bp": some(pressure)})
    (own,) = parse_text(frame).schema.columns
    assert (own.kind, own.format) == ("categorical", "pattern")
    assert infer_schema(frame)["bp"].format == "pattern"
    stated = Schema((replace(own, format=None),))
    for schema in (parse_text(frame, stated).schema, conform(frame, stated).schema):
        assert schema["bp"].format is None


PLACES = {
    "home": lambda draw: f"{draw(4000000, 4200000) / 1e5:.5f}° N, {draw(700, 750)}° W",
    "degrees": lambda draw: f"{draw(400, 420) / 10}° N, {draw(700, 750) / 10}° W",
    "minutes": lambda draw: f"{draw(40, 42)}° {draw(10, 59)}' {draw(10, 59)}\"",
    "metres": lambda draw: f"{draw(10**6, 10**7) / 10**4:.4f} m {draw(1, 9)} mm",
    "flat": lambda draw: f"{draw(1, 60)}/{draw(1, 300)} High Street",
    "lower": lambda draw: f"{draw(1, 60)}/{draw(1, 300)} broadwater",
    "two words": lambda draw: f"{draw(1, 60)}/{draw(1, 300)} mm OAK",
    "entrance": lambda draw: f"{draw(1, 60)} Unit {draw(1, 300)}",
    "name": lambda draw: f"{draw(1, 300)} {('Mbits', 'Meier')[draw(0, 1)]}",
    "street": lambda draw: f"{draw(1, 300)} {('Elm', 'Oak')[draw(0, 1)]}",
}


@pytest.mark.parametrize("name", MEASURES)
def test_measures_are_of_units(name):
    assert are_of_units(some(MEASURES[name]))


@pytest.mark.parametrize("name", PLACES)
def test_places_and_addresses_are_not(name):
    texts = some(PLACES[name])
    assert are_in_patterns(texts) and not are_of_units(texts)


def different(write, n):
    return pd.DataFrame({"x": some(write, 3000)[:n]}).astype(str)


@pytest.mark.parametrize("write", [MEASURES["size"], MEASURES["torque"], pressure])
def test_patterns_are_in_doubt_as_other_texts_but_where_numbers_are_drawn(write):
    table = as_table(different(write, 200))
    own = table.schema["x"]
    assert (own.format, own.treatment) == ("pattern", "undecided")
    assert "`fit` and `synth`" in own.reason
    assert settle(table, "sensitive", "x").schema["x"].treatment == "undecided"
    own = settle_patterns(table).schema["x"]
    assert (own.treatment, own.role, own.reason) == ("keep", "other", "")


@pytest.mark.parametrize("name", PLACES)
def test_patterns_of_places_are_in_doubt_in_any_case(name):
    table = as_table(different(PLACES[name], 200))
    own = table.schema["x"]
    assert (own.format, own.treatment) == ("pattern", "undecided")
    assert "`fit`" not in own.reason
    assert settle_patterns(table) is table


@pytest.mark.slow
def test_trees_draw_measures_and_independent_draws_ask():
    frame = different(pressure, 100)
    options = {"k": 10, "n_iterations": 1, "random_state": 0}
    fitted = CoclusterSynthesizer(**options).fit(frame)
    assert fitted.sample(9)["x"].str.fullmatch("[0-9]+/[0-9]+").all()
    with pytest.raises(SchemaError, match="undecided: 'x'"):
        CoclusterSynthesizer(within="independent", **options).fit(frame)
    with pytest.raises(SchemaError, match="undecided: 'x'"):
        CoclusterSynthesizer(**options).fit(different(PLACES["flat"], 100))


def test_patterns_do_not_settle_who_is_named():
    frame = pd.DataFrame({"customer_id": some(pressure, 900)})
    assert infer_schema(frame)["customer_id"].treatment == "undecided"
    assert settle_patterns(as_table(frame)).schema.undecided == ("customer_id",)
