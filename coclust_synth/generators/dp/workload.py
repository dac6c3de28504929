"""Which columns' joint distribution is wanted, and how much: a workload.

It is declared, and reads no data. In TOML it lists sets of columns::

    [[margin]]
    columns = ["age", "sex", "income"]
    weight = 2

The weight is a whole number, 1 if it is left out. Whole numbers keep the sensitivity of
what they weigh exact: scores of a sensitivity of 1 have one of the largest weight then.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.noise.asked import MAX_SENSITIVITY
from coclust_synth.tables.files import read_declared
from coclust_synth.tables.literals import check_fields, parse_toml
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_integer

MAX_WEIGHT = 1000  # of one set
# Times the weight of what holds none: 4 brings pairs with the target of UCI Adult a
# little nearer than 2, but makes all others twice as wrong on budgetfood.
_OF_TARGETS = 2


@dataclass(frozen=True)
class Workload:
    """Sets of columns, by their numbers in a domain.

    Attributes
    ----------
    sets : tuple of (frozenset of int, int)
        Columns and weight of each.
    targets : frozenset of int
        Columns whose relations matter most.
    """

    sets: tuple
    targets: frozenset

    def weight(self, columns):
        """What a margin counts: the sum over the sets that hold it, more for targets.

        Parameters
        ----------
        columns : iterable of int

        Returns
        -------
        int
            0 if no set holds it.
        """
        columns = frozenset(columns)
        total = sum(weight for members, weight in self.sets if columns <= members)
        return total * (_OF_TARGETS if columns & self.targets else 1)

    def margins(self, order):
        """Margins of a number of columns that a set holds, or smaller sets, weighted.

        Returns
        -------
        dict of tuple of int to int
            The sum of the weights of the sets that hold it, more for targets.
        """
        found = {}
        for members, weight in self.sets:
            for columns in combinations(sorted(members), min(order, len(members))):
                factor = _OF_TARGETS if self.targets.intersection(columns) else 1
                found[columns] = found.get(columns, 0) + factor * weight
        return found


def as_workload(workload, targets, names):
    """A workload from what declares it.

    Parameters
    ----------
    workload : path, sequence of mapping, or None
        A TOML file as the head of this module has it, or what stands in it: mappings of
        ``columns`` and, where it is not 1, ``weight``. None: all columns together.
    targets : sequence of str or None
    names : tuple of str
        Columns of the domain.

    Returns
    -------
    Workload

    Raises
    ------
    SchemaError, ParameterError
        If it does not read, or names columns that are not of the domain.
    """
    if isinstance(workload, str | os.PathLike):
        workload = read_workload(workload)
    if workload is None:
        sets = ((frozenset(range(len(names))), 1),)
    else:
        if isinstance(workload, Mapping) or not isinstance(workload, Sequence):
            _refuse("a workload as a list, or a file", type(workload).__name__)
        if not workload:
            _refuse("at least one set of columns in a workload", "none")
        sets = tuple(_read_set(margin, names) for margin in workload)
    check_largest_weight(_OF_TARGETS * sum(weight for _, weight in sets))
    targets = () if targets is None else targets
    if isinstance(targets, str) or not isinstance(targets, Sequence):
        raise ParameterError(
            f"Expected targets as a list of names. Received {targets!r}. Write "
            f"[{targets!r}]."
        )
    return Workload(sets, frozenset(_numbers(targets, names)))


def check_largest_weight(largest):
    """Refuse weights that add up to more than the sensitivity of a choice can be.

    Parameters
    ----------
    largest : int
        That any margin can have.

    Raises
    ------
    ParameterError
    """
    if largest > MAX_SENSITIVITY:
        raise ParameterError(
            "Expected a workload in which no margin weighs more than "
            f"{MAX_SENSITIVITY:,}, as scores are multiplied by weights. Received one "
            f"of {largest:,}. Give smaller weights, or fewer sets of fewer columns."
        )


def read_workload(path):
    """The sets of columns of a TOML file, as plain values.

    Raises
    ------
    SchemaError, ParameterError
    """
    text = read_declared(path, "a workload", ParameterError)
    content = parse_toml(text, "a workload")
    check_fields(content, ("margin",), "The workload")
    if not isinstance(content.get("margin"), list):
        _refuse("a workload of sets of columns, each under [[margin]]", "none")
    return content["margin"]


def _read_set(margin, names):
    """Numbers of the columns of a set, and its weight."""
    if not isinstance(margin, Mapping):
        _refuse('a mapping such as {"columns": ["age", "sex"]}', repr(margin))
    check_fields(margin, ("columns", "weight"), "A set of the workload")
    columns, weight = margin.get("columns"), margin.get("weight", 1)
    if not isinstance(columns, list | tuple) or len(columns) < 2:
        _refuse("a set of at least two columns", repr(columns))
    check_integer(
        "the weight of a set of columns", weight, minimum=1, maximum=MAX_WEIGHT
    )
    numbers = _numbers(columns, names)
    if len(set(numbers)) < len(numbers):
        _refuse("a set of different columns", ", ".join(map(repr, columns)))
    return frozenset(numbers), int(weight)


def _numbers(columns, names):
    """Places of some columns in the domain."""
    for name in columns:
        if name not in names:
            raise ParameterError(unknown_column(name, names, "the domain"))
    return [names.index(name) for name in columns]


def _refuse(expected, received):
    raise ParameterError(
        f"Expected {expected}. Received {received}. Correct the workload: it has sets "
        'such as {"columns": ["age", "sex"], "weight": 2}.'
    )
