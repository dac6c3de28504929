"""The tables that both programs are given."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from coclust_synth.exceptions import TableError

IRIS = "SepalLength SepalWidth PetalLength PetalWidth Class".split()
NINE = (
    "sex age race marital_status education native_country workclass occupation class"
).split()
FIVE = "age workclass education relationship sex".split()

# Categories of each variable of UCI Mushroom, the class first.
_MUSHROOM_CATEGORIES = (
    *(2, 6, 4, 10, 2, 9, 4, 3, 2, 12, 2, 7),
    *(4, 4, 9, 9, 2, 4, 3, 8, 9, 6, 7),
)
_N_SPECIES = 23


def iris():
    """Iris as UCI has it, and Khiops had it, shape (150, 5)."""
    data = load_iris()
    table = pd.DataFrame(data.data, columns=IRIS[:4])
    # scikit-learn corrected two flowers of the UCI file, after Fisher's article.
    table.loc[34, "PetalWidth"] = 0.1
    table.loc[37, ["SepalWidth", "PetalLength"]] = 3.1, 1.5
    return table.assign(Class=data.target_names[data.target])


def mushroom_like(n_rows=8416, *, seed=0):
    """A table of the shape of UCI Mushroom, which is made up.

    Each row belongs to one of 23 species; a species draws each variable from a law of
    its own, that favours one or two categories.

    Parameters
    ----------
    n_rows : int, default=8416
    seed : int, default=0

    Returns
    -------
    DataFrame, shape (n_rows, 23)
    """
    rng = np.random.default_rng(seed)
    species = rng.choice(_N_SPECIES, n_rows, p=rng.dirichlet(np.ones(_N_SPECIES)))
    columns = {}
    for k, n_categories in enumerate(_MUSHROOM_CATEGORIES):
        common = rng.dirichlet(np.ones(n_categories))
        laws = rng.dirichlet(0.5 * n_categories * common + 1e-3, _N_SPECIES)
        ends = np.cumsum(laws, axis=1)[species]
        codes = (rng.random(n_rows)[:, None] > ends[:, :-1]).sum(axis=1)
        columns[f"v{k}"] = np.char.add("c", codes.astype(str))
    return pd.DataFrame(columns)


def read_adult(path):
    """UCI Adult, train and test parts, ``?`` kept as a category, shape (48842, 15).

    Raises
    ------
    TableError
        If it is not there, or lacks columns.
    """
    try:
        table = pd.read_csv(path, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise TableError(
            f"Expected UCI Adult as CSV in {str(path)!r}. Received: {error}. Check the "
            "path and the file."
        ) from None
    lacking = sorted({*NINE, *FIVE} - set(table.columns))
    if lacking:
        raise TableError(
            f"Expected the columns of UCI Adult in {str(path)!r}. Received a table "
            f"without {', '.join(lacking)}. Name them so, with underscores."
        )
    return table


def with_equal_widths(adult):
    """Five variables of Adult, age in 10 intervals of equal width as categories."""
    edges = np.linspace(17, 90, 11)[1:-1]
    bins = np.searchsorted(edges, adult["age"]).astype(str)
    return adult[FIVE].assign(age=np.char.add("bin", bins))


def drawn_again(table, n_rows, *, seed):
    """Rows of a table, drawn with replacement."""
    rows = np.random.default_rng(seed).integers(0, len(table), n_rows)
    return table.iloc[rows].reset_index(drop=True)
