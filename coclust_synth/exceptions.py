"""Every exception that this package raises on purpose.

::

    CoclustSynthError
    ├── TableError (ValueError)      the table itself: empty, one row, duplicate names
    ├── SchemaError (ValueError)     a schema that is wrong or does not fit the table
    ├── ParameterError (ValueError)  an argument outside its range
    │   └── NotFittedError           a method that only a fitted estimator has
    ├── ModelFileError (ValueError)  a model file that is truncated, foreign or newer
    └── OutputError (OSError)        an output that exists or cannot be written

Messages have three parts: what was expected, what was received, what to do next.
The command line prints them without a traceback and exits with code 2.
"""

import warnings
from contextlib import contextmanager


class CoclustSynthError(Exception):
    """Base of all errors of this package."""


class TableError(CoclustSynthError, ValueError):
    """The table cannot be used: empty, ragged, one row, duplicate names."""


class SchemaError(CoclustSynthError, ValueError):
    """The schema is wrong, or does not fit the table."""


class ParameterError(CoclustSynthError, ValueError):
    """An argument is outside its range."""


class ModelFileError(CoclustSynthError, ValueError):
    """A model file is truncated, foreign, or of a newer format."""


class OutputError(CoclustSynthError, OSError):
    """An output exists already, or cannot be written."""


class DataWarning(UserWarning):
    """Something in the data that the user should know of; the run goes on."""


@contextmanager
def no_data_warnings():
    """Nothing is said of data: it was said before, or is as it should be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


def __getattr__(name):
    """`NotFittedError`, made when it is asked for.

    It is scikit-learn's error too, which takes a second to import: commands that refuse
    an option, or need no estimator, do without.
    """
    if name != "NotFittedError":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sklearn.exceptions import NotFittedError as OfScikitLearn

    class NotFittedError(ParameterError, OfScikitLearn):
        """A method was called that needs a fit before; scikit-learn's error too."""

        __qualname__ = name  # it is found by this name when it is unpickled

    return globals().setdefault(name, NotFittedError)
