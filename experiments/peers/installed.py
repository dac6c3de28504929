"""Programs of others, where they are installed; a task that lacks one is skipped.

Frames go in and out as texts, so that what comes back is read as the real table was.
"""

import json
import tempfile
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.tasks import Skipped

_TREES = 10  # of the forest: more take minutes
_PARENTS = 2  # of a column, in the Bayesian network of DataSynthesizer


def adversarial_forest(train, _, seeds):
    """Adversarial random forests by arfpy.

    Parameters
    ----------
    train : DataFrame
    seeds : sequence of SeedSequence
        One for each table; the forest is grown once, from the first.

    Returns
    -------
    list of DataFrame
        Of as many rows each.

    Raises
    ------
    Skipped
        If arfpy is not installed.

    References
    ----------
    D. S. Watson, K. Blesch, J. Kapar and M. N. Wright, "Adversarial random forests for
    density estimation and generative modeling", AISTATS 2023.
    """
    arf = _module("arfpy.arf", "arfpy")
    if not hasattr(np, "in1d"):
        raise Skipped("arfpy does not run with numpy 2.4: pip install 'numpy<2.4'")
    state = np.random.get_state()  # noqa: NPY002
    try:
        # arfpy has no other seed
        np.random.seed(seeds[0].generate_state(1)[0])  # noqa: NPY002
        forest = arf.arf(_texts(train), num_trees=_TREES, verbose=False)
        forest.forde()
        return [_whole(forest.forge(n=len(train)), train) for _ in seeds]
    finally:
        np.random.set_state(state)  # noqa: NPY002


def data_synthesizer(train, epsilon, seeds):
    """Releases of DataSynthesizer: PrivBayes, by its correlated mode.

    Its description of the columns is taken from the rows, and its file spends epsilon
    twice, so that what it promises is weaker than its epsilon says.

    Parameters, errors
        As of `adversarial_forest`.
    """
    if int(pd.__version__.partition(".")[0]) > 2:
        raise Skipped(
            "DataSynthesizer does not run with pandas 3: pip install pandas<3"
        )
    describer = _module("DataSynthesizer.DataDescriber", "DataSynthesizer")
    generator = _module("DataSynthesizer.DataGenerator", "DataSynthesizer")
    released = []
    # It reads numbers again that it wrote as numpy 1 showed them, without their type.
    plain = np.printoptions(legacy="1.25")
    with plain, tempfile.TemporaryDirectory() as folder:
        table, told = Path(folder, "table.csv"), Path(folder, "told.json")
        _texts(train).to_csv(table, index=False)
        for seed in seeds:
            number = int(seed.generate_state(1)[0])
            described = describer.DataDescriber(category_threshold=100)
            described.describe_dataset_in_correlated_attribute_mode(
                dataset_file=str(table), epsilon=epsilon, k=_PARENTS, seed=number
            )
            # Its own way of saving knows no truth values of numpy.
            description = described.data_description
            told.write_text(json.dumps(description, default=lambda value: value.item()))
            made = generator.DataGenerator()
            made.generate_dataset_in_correlated_attribute_mode(
                len(train), str(told), seed=number
            )
            released.append(made.synthetic_dataset)
    return [_like(frame, train) for frame in released]


def sdv_gaussian_copula(train, _, seeds):
    """SDV's Gaussian copula; its licence lets it be compared with, not depended on.

    Parameters, errors
        As of `adversarial_forest`.
    """
    tabular = _module("sdv.single_table", "sdv")
    metadata = _module("sdv.metadata", "sdv").Metadata.detect_from_dataframe(train)
    model = tabular.GaussianCopulaSynthesizer(metadata)
    model.fit(train)
    return [model.sample(num_rows=len(train)) for _ in seeds]


def _module(name, package):
    try:
        return import_module(name)
    except ImportError:
        raise Skipped(f"{package} is not installed: pip install {package}") from None


def _texts(frame):
    """Categories as texts; numbers as they are, unless some are missing."""
    return pd.DataFrame({name: _text(column) for name, column in frame.items()})


def _text(column):
    if pd.api.types.is_numeric_dtype(column) and column.notna().all():
        return column
    texts = ["?" if value is None else str(value) for value in _values(column)]
    return pd.Series(texts, column.index, dtype=object)


def _values(column):
    return column.astype(object).where(column.notna(), None)


def _whole(frame, train):
    """A drawn frame whose numbers are whole where those of the real one are."""
    made = frame.astype(object)
    for name, column in train.items():
        if pd.api.types.is_integer_dtype(column):
            made[name] = frame[name].astype(float).round().astype(int)
    return made


def _like(frame, train):
    """A released frame with the columns and types of the real one."""
    made = {}
    for name in train.columns:
        column = frame[name].replace("?", np.nan)
        made[name] = column.astype(train[name].dtype)
    return pd.DataFrame(made)
