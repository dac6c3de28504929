"""How persons and their rows are learnt from a table: see `persons`.

Each leaf describes k persons or more, of the rows after the first too. What is told of
them, and of how many: see `person_table`.
"""

from dataclasses import replace

import numpy as np

from coclust_synth.generators.plain.persons.known.known_before import (
    before,
    said_of_last_row,
    said_of_row_before,
)
from coclust_synth.generators.plain.persons.known.person_starts import (
    said_of_first_values,
)
from coclust_synth.generators.plain.persons.learning.first_rows import (
    begins_of,
    learn_first,
)
from coclust_synth.generators.plain.persons.learning.first_values import (
    find_first_values,
)
from coclust_synth.generators.plain.persons.learning.later_rows import learn_later
from coclust_synth.generators.plain.persons.learning.person_table import PersonTable
from coclust_synth.generators.plain.persons.persons import PersonStructure
from coclust_synth.tables.laws.laws import MIN_ROWS


def structure_of_persons(table, clusters, ids):
    """Grow trees for persons and their rows.

    Parameters
    ----------
    table : PersonTable
        Of n rows.
    clusters : ndarray of int64, shape (n,)
        Cluster of the person of each row, of k persons at least.
    ids : Key
        Of persons.

    Returns
    -------
    PersonStructure
    """
    k, names, n_rows = table.k, table.evidence.coding.names, len(clusters)
    later = learn_later(table, clusters, k) if table.n_with_several >= k else None
    begins = [] if later is None else _begins(table, later.rules)
    first = learn_first(table, clusters, k, begins)
    return PersonStructure(
        first,
        later,
        names,
        table.constants,
        table.ordered_by,
        later is not None and table.is_once,
        ids,
        n_rows,
        tuple(fit.target for fit in begins),
        np.inf if later is None else table.most_rooms,
        () if later is None else table.totals,
        () if later is None else table.row_numbers,
        () if later is None else table.once(later.rules),
        table.nested,
        summaries=() if later is None else table.summaries,
    )


def _begins(table, rules):
    """What first rows begin with, where later ones add to it or it stays."""
    begins = begins_of(table, rules)
    return [*begins, *find_first_values(table, {fit.target for fit in begins})]


def find_told_by_row_before(evidence, rules, k):
    """What the row before of a person tells exactly, in words.

    Parameters
    ----------
    evidence : Evidence
        Of the rows of a table, and their persons.
    rules : Rules
        Of the table.
    k : int
        Persons of several rows, at least.

    Returns
    -------
    tuple of str
        Empty where fewer than k persons have several rows.
    """
    table = PersonTable.of(evidence, rules, k)
    if table.n_with_several < k:
        return ()
    rules = table.rules_of_later
    of_rows = *said_of_row_before(rules), *said_of_last_row(rules)
    told = (*of_rows, *map(str, table.once(rules)))
    totals = (total.said(evidence.coding) for total in table.totals)
    begins = said_of_first_values(_begins(table, rules), table.constants)
    summaries = map(str, table.summaries)
    return (*totals, *summaries, *begins, *map(str, table.row_numbers), *told)


def without_lost(evidence, rules, k):
    """Rows in which values that no next row could be told from are moved ones.

    A place that enough people go to, of which too few come away again in the table. One
    that is the last for most who have it, as death, is only moved in the rows of those
    who do come away: others, 20 at least, still come to it, last of all.

    Parameters
    ----------
    evidence : Evidence
        Of the rows of a table, and their persons.
    rules : Rules
        Of the table.
    k : int
        Persons of several rows, at least.

    Returns
    -------
    Evidence
        Common values are to stand for these, as for rare ones: see `Evidence.moved`.
    dict of int to ndarray of int32
        By column, the codes of these values: they stand for no others.
    """
    table, moved = PersonTable.of(evidence, rules, k), dict(evidence.moved)
    lost = {}
    for lag in table.lags if table.n_with_several >= k else ():
        (base,) = {name for name in table.changing if before(name) in lag.columns}
        j = evidence.coding.names.index(base)
        parts, codes = evidence.coding.parts[j], evidence.codes[:, j]
        is_lost = ~np.isin(codes, lag.keys) & (codes < len(parts.seen))
        lost[j] = np.unique(codes[is_lost])
        is_lost &= ~_ends_most(codes, table)
        if is_lost.any():
            moved[j] = evidence.is_moved(j) | is_lost
    return replace(evidence, moved=moved), lost


def _ends_most(codes, table):
    """The last rows of persons, of which the value is one of last rows for most.

    And of 20 persons at least, where others who have it are moved.
    """
    is_last = np.ones(len(codes), dtype=bool)
    is_last[table.rows_before] = False
    n_after, n_last = (
        np.bincount(codes[own], minlength=codes.max() + 1)
        for own in (~is_last, is_last)
    )
    least = np.where(n_after > 0, np.maximum(n_after, MIN_ROWS), 0)
    return is_last & (n_last >= least)[codes]
