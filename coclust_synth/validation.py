"""Checks of arguments, each with one message: expected, received, what to do."""

from decimal import ROUND_CEILING, Context
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from coclust_synth.exceptions import ParameterError

# What `random_state` may be: see `check_seed`.
Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator | None


def n_values(n: int) -> str:
    """How many values there are, for a message.

    Examples
    --------
    >>> n_values(1), n_values(1200)
    ('1 value', '1,200 values')
    """
    return "1 value" if n == 1 else f"{n:,} values"


def check_integer(name, value, *, minimum, maximum=None):
    """Refuse what is not a whole number from `minimum` to `maximum`.

    Raises
    ------
    ParameterError
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < minimum or (maximum is not None and value > maximum):
        upto = "" if maximum is None else f" to {maximum}"
        raise ParameterError(
            f"Expected {name} to be a whole number from {minimum}{upto}"
            f"{' on' if maximum is None else ''}. Received {value!r}. "
            f"Choose {name} in that range."
        )


def check_number(
    name: str,
    value: Any,
    *,
    minimum: float | None = None,
    above: float | None = None,
    maximum: float | None = None,
) -> None:
    """Refuse what is not a number from `minimum`, or above `above`, to `maximum`.

    Raises
    ------
    ParameterError
    """
    low = "from" if above is None else "above"
    limit = minimum if above is None else above
    number = isinstance(value, Real) and not isinstance(value, bool)
    inside = number and (value >= limit if above is None else value > limit)
    if not inside or not (value < np.inf if maximum is None else value <= maximum):
        upto = "" if maximum is None else f" to {maximum}"
        raise ParameterError(
            f"Expected {name} to be a number {low} {_few_digits(limit)}{upto}. "
            f"Received {value!r}. Choose {name} in that range."
        )


def _few_digits(limit):
    """A lower limit with four digits, rounded up: what is read is in the range."""
    if isinstance(limit, Integral):
        return limit
    few = Context(prec=4, rounding=ROUND_CEILING)
    return few.create_decimal(repr(float(limit)))


def check_seconds(name, value):
    """Refuse what is not a positive number of seconds, or None.

    Raises
    ------
    ParameterError
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (number and value > 0):
        raise ParameterError(
            f"Expected {name} to be a positive number of seconds. Received {value!r}. "
            "Give for instance 60, or leave it out."
        )


def check_share(name, value):
    """Refuse what is not a number from 0 to 1.

    Raises
    ------
    ParameterError
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and 0 <= value <= 1):
        raise ParameterError(
            f"Expected {name} to be a share from 0 to 1. Received {value!r}. Give for "
            "instance 0.01."
        )


def check_jobs(name, value):
    """Refuse what joblib does not take as a number of jobs.

    Raises
    ------
    ParameterError
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if value is not None and not (whole and value != 0):
        raise ParameterError(
            f"Expected {name} to be a whole number other than 0, or None. Received "
            f"{value!r}. Give for instance 2, or -1 for all cores."
        )


def check_search(n_iterations, time_limit, n_jobs, random_state):
    """Refuse arguments of a search that cannot be used, before anything is read.

    Parameters
    ----------
    n_iterations : int
        From 1.
    time_limit : float or None
        Seconds, see `check_seconds`.
    n_jobs : int or None
        See `check_jobs`.
    random_state : int, SeedSequence, Generator or None
        See `check_seed`.

    Raises
    ------
    ParameterError
    """
    check_integer("n_iterations", n_iterations, minimum=1)
    check_seconds("time_limit", time_limit)
    check_jobs("n_jobs", n_jobs)
    check_seed("random_state", random_state)


def check_seed(name, value):
    """Refuse what random numbers cannot be drawn from.

    Parameters
    ----------
    name : str
    value : int, SeedSequence, Generator or None
        A whole number from 0 on, or a sequence, gives the same numbers each time; a
        generator is drawn from, and goes on from call to call; None takes the entropy
        of the system.

    Raises
    ------
    ParameterError
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool) and value >= 0
    known = isinstance(value, np.random.SeedSequence | np.random.Generator)
    if not (whole or known or value is None):
        raise ParameterError(
            f"Expected {name} to be a whole number from 0 on, a SeedSequence or a "
            f"Generator of numpy, or None. Received {value!r}. Give for instance 0."
        )


def seed_sequence(name, value):
    """The seed of work that draws from it more than once.

    Parameters
    ----------
    name : str
    value : int, SeedSequence, Generator or None
        As of `check_seed`; of a generator the next number is taken.

    Returns
    -------
    numpy.random.SeedSequence
        Of a whole number, that by which ``default_rng`` draws as from the number.

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> seed = seed_sequence("random_state", 7)
    >>> np.random.default_rng(seed).random() == np.random.default_rng(7).random()
    True
    """
    check_seed(name, value)
    if isinstance(value, np.random.SeedSequence):
        return value
    if isinstance(value, np.random.Generator):
        value = int(value.integers(2**63))
    return np.random.SeedSequence(value)


def check_choice(name, value, choices):
    """Refuse a word that is not one of `choices`.

    Raises
    ------
    ParameterError
    """
    if value not in list(choices):  # of a dict, too: the value may not be hashable
        raise ParameterError(
            f"Expected {name} to be one of {', '.join(map(repr, choices))}. "
            f"Received {value!r}. Choose one of them."
        )


def check_fitted(estimator, attribute):
    """Refuse an estimator that lacks what a fit would have learnt.

    Raises
    ------
    NotFittedError
    """
    if not hasattr(estimator, attribute):
        from coclust_synth.exceptions import NotFittedError  # with scikit-learn

        raise NotFittedError(
            f"Expected a fitted {type(estimator).__name__}. Received one that has not "
            "seen a table. Call fit first."
        )


def set_feature_names(estimator, names):
    """Tell of which columns a fit was, as every estimator of scikit-learn does.

    Parameters
    ----------
    estimator : object
        Gets ``feature_names_in_`` and ``n_features_in_``.
    names : iterable of str
    """
    estimator.feature_names_in_ = np.array([*names], dtype=object)
    estimator.n_features_in_ = len(estimator.feature_names_in_)


def search_seed(random_state):
    """The seed of a search and of the splits after it.

    Parameters
    ----------
    random_state : int, SeedSequence, Generator or None

    Returns
    -------
    int or SeedSequence
        Of a whole number below 2^32 the one that scikit-learn's random state of that
        seed, which takes no larger one, draws first.

    Raises
    ------
    ParameterError
    """
    seed = seed_sequence("random_state", random_state)
    if isinstance(random_state, Integral) and random_state < 2**32:
        return np.random.RandomState(random_state).randint(2**31 - 1)
    return seed
