"""What is measured, by name, with Khiops's published figures."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks import tables
from benchmarks.planted import planted_table
from benchmarks.problems import data_grid, id_by_part, two_variables, variable_parts


@dataclass(frozen=True)
class Published:
    """What a run of Khiops 11.0.1 gave, measured in November 2026 on 2 shared cores.

    Attributes
    ----------
    cost : float
        (nats)
    cpu_seconds : float, optional
        None where they were not noted.
    is_finished : bool, default=True
        Whether it ended by itself.
    """

    cost: float
    cpu_seconds: float | None = None
    is_finished: bool = True


@dataclass(frozen=True)
class Case:
    """One thing to measure.

    Attributes
    ----------
    title : str
    build : callable
        Gives the Problem, from Adult where `needs_adult`, otherwise from nothing.
    published : Published, optional
    needs_adult : bool, default=False
    is_small : bool, default=False
        Whether some seconds are enough.
    """

    title: str
    build: Callable
    published: Published | None = None
    needs_adult: bool = False
    is_small: bool = False


def _planted(n_observations, n_values, n_clusters):
    return lambda: two_variables(planted_table(n_observations, n_values, n_clusters))


def _adult_100k(adult):
    nine = adult[tables.NINE]
    drawn = tables.drawn_again(nine, 100_000, seed=12345)
    return id_by_part(drawn, bins=10, learn_from=nine)


CASES = {
    "iris_id_part": Case(
        "Iris, terciles, id × part",
        lambda: id_by_part(tables.iris(), bins=3),
        Published(5647.855077),
        is_small=True,
    ),
    "iris_variable_parts": Case(
        "Iris, variable parts",
        lambda: variable_parts(tables.iris()),
        Published(7433.808031),
        is_small=True,
    ),
    "iris_data_grid": Case(
        "Iris, PetalLength × PetalWidth × Class",
        lambda: data_grid(tables.iris()[["PetalLength", "PetalWidth", "Class"]]),
        Published(1164.273132),
        is_small=True,
    ),
    "mushroom_like": Case(
        "Mushroom-like, 8,416 × 23, id × part",
        lambda: id_by_part(tables.mushroom_like(), bins=10),
    ),
    "adult_occupation_education": Case(
        "Adult, occupation × education",
        lambda adult: two_variables(adult[["occupation", "education"]]),
        Published(208187.54),
        needs_adult=True,
        is_small=True,
    ),
    "adult_five": Case(
        "Adult, 5 dimensions",
        lambda adult: data_grid(tables.with_equal_widths(adult)),
        Published(328922.3838, 0.9),
        needs_adult=True,
        is_small=True,
    ),
    "adult_nine": Case(
        "Adult, 9 variables, deciles, id × part",
        lambda adult: id_by_part(adult[tables.NINE], bins=10),
        Published(6280718.656, 2468),
        needs_adult=True,
    ),
    "adult_nine_variable_parts": Case(
        "Adult, 9 variables, variable parts",
        lambda adult: variable_parts(adult[tables.NINE]),
        Published(6700971.387, 481, is_finished=False),
        needs_adult=True,
    ),
    "adult_fifteen": Case(
        "Adult, 15 variables, deciles, id × part",
        lambda adult: id_by_part(adult, bins=10),
        needs_adult=True,
    ),
    "adult_100k": Case(
        "Adult, 9 variables, 100,000 rows drawn, id × part",
        _adult_100k,
        Published(13540124.49, 696, is_finished=False),
        needs_adult=True,
    ),
    "planted_10k": Case(
        "planted, 10,000 observations, 500 values, 8 clusters",
        _planted(10_000, 500, 8),
        Published(105132.05, 3.8),
    ),
    "planted_100k": Case(
        "planted, 100,000 observations, 2,000 values, 10 clusters",
        _planted(100_000, 2_000, 10),
        Published(1276598.4),
    ),
    "planted_1m": Case(
        "planted, 1,000,000 observations, 10,000 values, 20 clusters",
        _planted(1_000_000, 10_000, 20),
    ),
    "planted_sparse": Case(
        "planted, sparse, 100,000 observations, 20,000 values, 15 clusters",
        _planted(100_000, 20_000, 15),
        Published(1841287.9, 16),
    ),
}
