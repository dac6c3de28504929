"""Columns of yes and no of which each row has one yes: the industry that one works in.

Each two of them never have both, however few have one, and what all others lack the
last one has. What is rare in two of twelve such columns would not be seen missing in
both: some rows would be drawn with two industries, and as many with none.
"""

import itertools

import numpy as np

from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import Dependence
from coclust_synth.tables.rules.fitting.told import in_turn
from coclust_synth.tables.rules.values.combinations import Combinations

# Fewer are two columns of which one is the other's no.
_MIN_COLUMNS = 3
# Chance that independent columns are taken for such ones.
_MAX_CHANCE = 1e-9
# Sets of columns that are tried, at most.
_MAX_TRIED = 1000


def find_one_of_several(evidence, combinations, min_individuals):
    """Sets of columns of two values of which each row has one yes.

    Parameters
    ----------
    evidence : Evidence
    combinations : sequence of Combinations
        That are found: what one column tells of all of a set need not be found again.
    min_individuals : int
        Who have each yes, at least.

    Returns
    -------
    list of list of int
        Columns of each set, none in two of them.
    """
    yes = _rows_of_yes(evidence, min_individuals)
    tells = {j: set() for j in yes}
    for each in combinations:
        if each.fixes and each.second in tells:
            tells[each.second].add(each.first)
    sets = []
    while (found := _next_set(yes)) is not None:
        shares = np.array([yes.pop(j).mean() for j in found])
        one = np.prod(1 - shares) * (shares / (1 - shares)).sum()
        is_told = set.intersection(*(tells[j] - {*found} for j in found))
        if evidence.n_individuals * np.log(one) < np.log(_MAX_CHANCE) and not is_told:
            sets.append(sorted(found))
    return sets


def never_both(evidence, sets, combinations):
    """That no row has two yes of a set, of pairs of which nothing is found yet.

    Parameters
    ----------
    evidence : Evidence
    sets : list of list of int
        See `find_one_of_several`.
    combinations : sequence of Combinations

    Returns
    -------
    list of Combinations
    """
    known = {frozenset((each.first, each.second)) for each in combinations}
    found = []
    for pair in (
        pair for columns in sets for pair in itertools.combinations(columns, 2)
    ):
        if frozenset(pair) not in known:
            allowed = np.ones((2, 2), dtype=bool)
            allowed[tuple(_yes(evidence, j) for j in pair)] = False
            found.append(Combinations(*pair, allowed, False))
    return found


def last_of_several(evidence, sets, told):
    """That the last column of a set is told by all others, if it can be.

    Parameters
    ----------
    evidence : Evidence
    sets : list of list of int
        See `find_one_of_several`.
    told : sequence of relations
        What tells columns already.

    Returns
    -------
    list of Dependence
    """
    names = evidence.coding.names
    relations = (
        Dependence(tuple(names[j] for j in columns[:-1]), names[columns[-1]])
        for columns in sets
    )
    return in_turn(relations, told)


def _rows_of_yes(evidence, min_individuals):
    """Of each column of two values, the rows of the second one, if enough have it."""
    rows = {}
    for j, parts in enumerate(evidence.coding.parts):
        is_known = not (
            parts.with_missing or j in evidence.pooled or j in evidence.moved
        )
        if isinstance(parts, AtomParts) or parts.n_parts != 2 or not is_known:
            continue
        own = evidence.bins[:, j] == _yes(evidence, j)
        if evidence.n_of(own) >= min_individuals:
            rows[j] = own
    return rows


def _yes(evidence, j):
    """Which of two codes is a yes: 1 of 0 and 1, True, yes of no and yes."""
    seen, values = evidence.coding.parts[j].seen, evidence.coding.schema.columns[j]
    return int(np.argmax([str(values.categories[code]) for code in seen]))


def _next_set(yes):
    """Columns that never meet and of which each row has one; None without any."""
    columns = [*yes]
    if len(columns) < _MIN_COLUMNS:
        return None
    rows = np.column_stack([yes[j] for j in columns])
    apart = rows.astype(np.float32).T @ rows == 0
    rows = np.unique(rows, axis=0)
    stack, n_tried = [[]], 0
    while stack and n_tried < _MAX_TRIED:
        chosen, n_tried = stack.pop(), n_tried + 1
        without = ~rows[:, chosen].any(axis=1)
        if not without.any():
            if len(chosen) >= _MIN_COLUMNS:
                return [columns[c] for c in chosen]
            continue
        may = rows[without.argmax()] & apart[:, chosen].all(axis=1)
        stack += [[*chosen, c] for c in np.flatnonzero(may)[::-1]]
    return None
