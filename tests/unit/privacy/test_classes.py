import numpy as np
import pandas as pd
import pytest
from support.shared import ADULT, needed

from coclust_synth.exceptions import TableError
from coclust_synth.privacy.classes import code_values, count_matrix, equivalence_classes

QUASI_IDENTIFIERS = (
    "sex age race marital_status education native_country workclass occupation"
)


@pytest.mark.slow
def test_raw_adult_has_27118_classes():
    frame = pd.read_csv(needed(ADULT), keep_default_na=False)
    names = QUASI_IDENTIFIERS.split()
    classes = equivalence_classes(frame, names)
    assert len(classes) == 27_118 and classes.sizes.sum() == 48_842
    expected = frame.groupby(names, sort=False).size()
    first = frame[names].iloc[classes.first].apply(tuple, axis=1)
    assert dict(zip(first, classes.sizes, strict=True)) == expected.to_dict()


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([None, "a", np.nan, "a", pd.NA], dtype=object),
        pd.Series([np.nan, 2.0, np.nan, 2.0, np.nan]),
        pd.Series([None, 2, None, 2, None], dtype="Int64"),
        pd.Series([None, "a", None, "a", None], dtype="category"),
        pd.Series(pd.to_datetime([None, "2024-05-01", None, "2024-05-01", None])),
    ],
)
def test_missing_values_are_one_value(column):
    classes = equivalence_classes(pd.DataFrame({"x": column}), ["x"])
    assert classes.codes.tolist() == [0, 1, 0, 1, 0]
    assert classes.sizes.tolist() == [3, 2]
    assert classes.first.tolist() == [0, 1]
    coded = code_values(column)
    assert coded.values[-1] is None and len(coded.values) == 2
    assert coded.codes.tolist() == [1, 0, 1, 0, 1]


def test_labels_are_compared_as_they_are():
    column = pd.Series(["1", 1, "[1, 2]", "[1,2]", "nan", None, "*", ""], dtype=object)
    assert len(equivalence_classes(pd.DataFrame({"x": column}), ["x"])) == 8


def test_the_index_is_not_read():
    frame = pd.DataFrame({"x": list("abab")}, index=[3, 3, 0, 1])
    assert equivalence_classes(frame, ["x"]).codes.tolist() == [0, 1, 0, 1]
    assert code_values(frame["x"]).codes.tolist() == [0, 1, 0, 1]


def test_columns_of_many_values_do_not_overflow(rng):
    frame = pd.DataFrame({f"x{j}": rng.permutation(3000) for j in range(9)})
    frame = pd.concat([frame, frame.iloc[::-1]])
    classes = equivalence_classes(frame, list(frame))
    assert len(classes) == 3000 and (classes.sizes == 2).all()


@pytest.mark.parametrize(
    "column, values, ordered",
    [
        (pd.Series([10, 9, 10]), (9, 10), True),
        (pd.Series(["10", "9"]), ("10", "9"), False),
        (pd.Series(["b", None, "a"]), ("a", "b", None), False),
        (pd.Series([True, False]), (False, True), False),
        (
            pd.Series(pd.Categorical(["lo"], ["lo", "mid", "hi"], ordered=True)),
            ("lo", "mid", "hi"),
            True,
        ),
        (pd.Series(pd.Categorical(["lo"], ["lo", "mid"])), ("lo",), False),
        (pd.Series([1, "a", 2.5], dtype=object), (2.5, 1, "a"), False),
    ],
)
def test_values_and_their_order(column, values, ordered):
    coded = code_values(column)
    assert coded.values == values and coded.ordered is ordered
    decoded = [coded.values[code] for code in coded.codes]
    assert decoded == [None if pd.isna(x) else x for x in column]
    assert coded.counts.sum() == len(column)
    assert len(coded.counts) == len(values)


def test_containers_are_refused():
    frame = pd.DataFrame({"x": [[1], [2]]})
    with pytest.raises(TableError, match=r"'x'.*lists"):
        equivalence_classes(frame, ["x"])
    with pytest.raises(TableError, match=r"'x'.*lists"):
        code_values(frame["x"])


def test_a_count_matrix_is_as_sparse_as_its_rows(rng):
    rows, columns = rng.integers(0, 20_000, 30_000), rng.integers(0, 20_000, 30_000)
    matrix = count_matrix(rows, columns, (20_000, 20_000))
    assert matrix.nnz <= 30_000 and matrix.sum() == 30_000
    assert matrix[[rows[0]], [columns[0]]][0] == np.sum(
        (rows == rows[0]) & (columns == columns[0])
    )
