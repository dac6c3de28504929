"""One person has far more rows than all others: the model tells nothing of it alone."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.persons.known.key_rows import EACH, PARTS

HEAVY = 613


def loans(n, seed, rows_each=None):
    """Payments of loans, about ten a person; the person in the middle has many more.

    All of these are of amounts that are far above those of others, and perhaps of loans
    of so many rows each.
    """
    rng, rows, number = np.random.default_rng(seed), [], 70_000
    each = np.insert(1 + rng.poisson(9, n), n // 2, HEAVY)
    for person, left in enumerate(each):
        day, far = rng.integers(300), 5000 * (left == HEAVY)
        while left:
            number += rng.integers(1, 4)
            size = rng.integers(1, 5)
            size = rows_each if far and rows_each else size
            for _ in range(min(left, size)):
                day, left = day + rng.integers(1, 5 if far else 20), left - 1
                amount = far + rng.integers(10, 990)
                rows.append((f"P{person:03}", f"L{number}", day, amount))
    table = pd.DataFrame(rows, columns=["who", "loan", "day", "amount"])
    day = np.datetime64("2015-01-01") + table["day"].to_numpy()
    return table.assign(day=day.astype("datetime64[us]"))


def laws(model, path):
    """Names and atoms of the columns of numbers that a model file holds."""
    model.save(path)
    structure = json.loads(zipfile.ZipFile(path).read("model.json"))["structure"]
    codings = [structure["first"]["coding"], structure["later"]["coding"]]
    if "within" in structure:
        codings.append(structure["within"]["later"]["coding"])
    for coding in codings:
        for column, parts in zip(
            coding["schema"]["column"], coding["parts"], strict=True
        ):
            if parts["type"] == "atoms":
                yield column["name"], parts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "seed", "key", "rows_each"),
    [
        (300, 0, False, None),
        pytest.param(400, 1, True, None, marks=pytest.mark.slow),
        pytest.param(400, 1, True, 1, marks=pytest.mark.slow),
        pytest.param(400, 1, True, HEAVY, marks=pytest.mark.slow),
    ],
)
def test_numbers_of_rows_and_amounts_end_where_those_of_many_do(
    n, seed, key, rows_each, tmp_path
):
    table = loans(n, seed, rows_each)
    if not key:
        table = table.drop(columns="loan")
    schema = infer_schema(table).as_key("loan") if key else infer_schema(table)
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(**options).fit(table, schema)
    found = list(laws(model.model_, tmp_path / "rows.model"))
    # Levels and means of earlier rows are in steps, and not numbers of rows.
    steps = ("\0level", "\0so far")
    numbers = [
        (name, max(own["highs"]))
        for name, own in found
        if "\0rows" in name and not name.endswith(steps)
    ]
    assert len(numbers) >= 2
    assert (EACH in dict(numbers)) == key
    most = 2 * table["who"].value_counts().iloc[19]
    for name, high in numbers:
        assert high <= most * (PARTS if name == EACH else 1), name
    amounts = [own for name, own in found if name in {"amount", "amount\0before"}]
    assert len(amounts) >= 3
    # Of these amounts the law has the least one, as one among twenty.
    least = table["amount"][table["amount"] > 5000].min()
    assert max(max(own["highs"]) for own in amounts) <= least
    assert model.sample()["who"].value_counts().max() <= most
