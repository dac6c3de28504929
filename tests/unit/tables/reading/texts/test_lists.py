from itertools import combinations

import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.settling import settle_patterns
from coclust_synth.tables.reading.table import as_table
from coclust_synth.tables.reading.texts.lists import Lists, format_of_texts
from coclust_synth.tables.schema import Schema

BY = "Walk", "Bus", "Train", "Car", "Bike"


def ticked(separator=", ", items=BY, most=3):
    """All texts of up to so many items, in their order."""
    return [
        separator.join(own)
        for n in range(1, most + 1)
        for own in combinations(items, n)
    ]


@pytest.mark.parametrize("separator", [", ", ",", "; ", ";", " | ", "|", "\n", "\r\n"])
def test_items_are_found_in_the_order_in_which_they_are_listed(separator):
    texts = ticked(separator)
    assert Lists.of(texts) == Lists(separator, BY)
    assert Lists.of(texts[::-1]) == Lists(separator, BY)
    assert format_of_texts(texts) == "list"


def test_codes_of_answers_are_items_but_beside_commas():
    codes = [*map(str, range(1, 7))]
    assert Lists.of(ticked(";", codes)).items == (*codes,)
    assert Lists.of(ticked(",", codes)) is None


def test_an_answer_that_has_the_separator_inside_comes_back_as_it_was():
    found = Lists.of(ticked(", ", ("A", "B", "C, or D", "E", "F")))
    assert found.items == ("A", "B", "C", "or D", "E", "F")


TOWNS = [f"Town {i}, {s}" for i, s in enumerate(["Ohio", "Iowa", "Utah"] * 20)]
NO_LISTS = {
    "towns of few states": TOWNS,
    "one town in two states": [*TOWNS, *(t.replace("Ohio", "Iowa") for t in TOWNS)],
    "months of years": [f"{1990 + i}, {m}" for i in range(9) for m in ("May", "June")],
    "any order": [", ".join(own[::-1]) for own in combinations(BY, 2)] + ticked(),
    "twice": [f"{text}, {text}" for text in ticked()],
    "too few": [*ticked(most=1), "Walk, Bus", "Bus, Train"],
    "names": [f"Name {i}, Other {i}, Third {i * 7 % 30}" for i in range(30)],
    "sentences": [f"I came, saw {i}, and left by {i % 3}" for i in range(30)],
    "thousands": [f"{i},{j:03}" for i in range(9) for j in (100, 200, 300)],
    "few texts of many answers": ["a, b", "c, d", "e, f"] * 2,
}


@pytest.mark.parametrize("texts", NO_LISTS.values(), ids=NO_LISTS)
def test_other_texts_are_no_lists(texts):
    assert Lists.of([*dict.fromkeys(texts)]) is None


def test_a_schema_says_which_columns_are_lists(tmp_path):
    texts = ticked()
    frame = pd.DataFrame({"by": texts * 2})
    assert parse_text(frame).schema["by"].format == "list"
    schema = infer_schema(frame)
    assert schema["by"].format == "list"
    schema.save(tmp_path / "schema.toml")
    assert Schema.load(tmp_path / "schema.toml")["by"].format == "list"
    assert infer_schema(frame.astype("category"))["by"].format is None


@pytest.mark.parametrize("mark", [";", "|"])
def test_a_separator_behind_the_last_item_is_written_again(mark):
    texts = [f"{text}{mark}" for text in ticked(mark)]
    found = Lists.of(texts)
    assert found == Lists(mark, BY, mark)
    assert found.split("Bus") is None
    assert [found.write(found.split(text)) for text in texts] == texts


def test_lists_of_personal_names_are_asked_about_as_other_texts_are():
    # By what stands in their cells they are the same as lists of answers.
    items = [f"Witness {chr(65 + i)}. Smith" for i in range(9)]
    frame = pd.DataFrame({"seen_by": ticked(", ", items, most=5)})
    table = as_table(frame)
    assert table.schema["seen_by"].format == "list"
    assert settle_patterns(table).schema["seen_by"].treatment == "undecided"


def test_hundreds_of_items_are_no_answers():
    names = [f"item {i}" for i in range(300)]
    texts = [", ".join(names[i : i + 3]) for i in range(290)]
    assert Lists.of([*texts, *names, *(f"{n}, x" for n in names[:200])]) is None
