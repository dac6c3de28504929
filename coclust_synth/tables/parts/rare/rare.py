"""Categories that few individuals hold, released as a group of them.

A category is released that `rare` individuals or more hold. The others are told as
their group, the first of these that there is:

- in a column of texts that has a hierarchy, by its lowest node of which the rare values
  are together held by `rare` individuals, the root apart, and nodes whose names list
  rare values: those that are derived from the table do;
- in a column nested in another one (see `finest_parent`), or else in one of categories
  but for a fifth of the rows, by the value of that one:
  ``A (other)`` for the rare values of ``A``, or ``4 (other)``, of whole numbers; by the
  name of a group of that one itself, where most of its rows have the same value in both
  columns: of two that are equal the groups are, too;
- else ``(other)``.

A group of fewer than `rare` individuals gets no name of its own: it is released as the
commonest value, of those beside the same value of the parent if there are some. So are
all rare values of a column whose values are not texts, as no new name fits its type;
where no value is common they are missing. The rare values of an ordinal or boolean
column join the nearest common one. Missing is a value here like the others.

What the rare values were is written nowhere: one that is not known is taken for rare,
and for one that no node of a hierarchy gathers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logsumexp

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import OTHER, Column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.hierarchies.names import spells
from coclust_synth.tables.labels import distinct_name
from coclust_synth.tables.parts.rare.pools import CodedColumn, Pool, Pooled
from coclust_synth.tables.people.people import Persons, count_holders
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.dtypes import holds_missing
from coclust_synth.tables.values.numbers import log_choose

# Below this chance, values that nearly always agree are not held to do so by chance.
_MAX_CHANCE = 1e-9
#: Share of the rows that may break what all others respect, as after slips.
MAX_BROKEN = 0.005
# Where a column is nested in none like that, as towns of one name are in two states;
# and where it is not so either, as counties of one name are in several.
_MAX_SHARED, _MAX_LOOSE = 0.05, 0.2
# Groups of two columns have one name where such a share of the rows are equal.
_MOSTLY = 0.5
# Individuals that a category describes at least, where nobody says how many: no cell
# of fewer than 3 to 10 is published by statistical offices.
DEFAULT_RARE = 10


def finest_parent(
    codes: np.ndarray,
    missing: np.ndarray,
    candidates: Sequence[np.ndarray],
    rows: np.ndarray | None = None,
    max_shared: float = _MAX_SHARED,
) -> int | None:
    """The column of most values among those that a column is nested in.

    A column is nested in another of fewer values where all rows of each of its values
    have one and the same value there, but for `MAX_BROKEN` of all rows, and chance
    would hardly have it so: were the two independent, as many rows would agree with a
    probability below 1e-9. Where there is none, `max_shared` of the rows may disagree:
    towns of a name are in two states, a rare one is still drawn as one of its state.

    Parameters
    ----------
    codes : ndarray of shape (n,), int
        Value of each row, numbered from 0.
    missing : ndarray of shape (n,), bool
        Rows without a value: they are not looked at.
    candidates : sequence of ndarray of shape (n,), int
        Codes of the other columns, from 0; missing may be one of them.
    rows : ndarray of shape (n,), int64, optional
        Rows of a table that each of these stands for; by default one.
    max_shared : float, default=0.05

    Returns
    -------
    int or None
        Position in `candidates`; the first of equals.

    Examples
    --------
    >>> grade, town = np.arange(40) // 20, np.arange(40) % 2
    >>> finest_parent(np.arange(40) // 5, np.zeros(40, bool), [town, grade])
    1
    """
    values, position = np.unique(codes[~missing], return_inverse=True)
    stands_for = None if rows is None else rows[~missing]
    found, best = None, (False, 0)
    for k, candidate in enumerate(candidates):
        above = candidate[~missing]
        n_above = len(np.unique(above))
        if (True, n_above) <= best or not 0 < n_above < len(values):
            continue
        of_above = np.bincount(above, stands_for)
        agree = agreeing(position, above, stands_for)
        n, n_others = of_above.sum(), of_above.sum() - agree.sum()
        own = bool(n_others <= MAX_BROKEN * n), n_above
        if n_others > max_shared * n or own <= best:
            continue
        log_chance = _log_chance(of_above, agree) + log_choose(n, n_others)
        if log_chance < np.log(_MAX_CHANCE):
            found, best = k, own
    return found


def agreeing(
    codes: np.ndarray, above: np.ndarray, rows: np.ndarray | None = None
) -> np.ndarray:
    """Rows of each value that have its commonest value of another column.

    Parameters
    ----------
    codes, above : ndarray of shape (n,), int
        Values of both columns, from 0.
    rows : ndarray of shape (n,), int64, optional
        As of `finest_parent`.

    Returns
    -------
    ndarray of float64, shape (number of values,)
    """
    n_above = int(above.max(initial=0)) + 1
    pairs, pair = np.unique(codes * n_above + above, return_inverse=True)
    most = np.zeros(int(codes.max(initial=-1)) + 1)
    np.maximum.at(most, pairs // n_above, np.bincount(pair, rows))
    return most


def _log_chance(counts: np.ndarray, rows: np.ndarray) -> float:
    """Logarithm of the chance that as many rows of each value agree, were all free."""
    log_shares = np.log(counts[counts > 0] / counts.sum())
    n, n_values = np.unique(rows, return_counts=True)
    return float(n_values @ logsumexp(np.outer(n, log_shares), axis=1))


def pool_categories(
    table: TableValues,
    column: Column,
    rare: int,
    *,
    persons: Persons | None = None,
    parents: Sequence[CodedColumn] = (),
    numbers: Sequence[CodedColumn] = (),
    hierarchy: GeneralizationHierarchy | None = None,
    rows: np.ndarray | None = None,
) -> tuple[CodedColumn, Pool | None, Pooled | None]:
    """Put the categories of a column together that few individuals hold.

    Parameters
    ----------
    table : TableValues of n rows
    column : Column
        Complete; of kind categorical, ordinal or boolean.
    rare : int
        Individuals that a value describes at least.
    persons : Persons, optional
        Of the rows; by default each row is an individual.
    parents : sequence of CodedColumn
        Columns that it may be nested in, as they are released.
    numbers : sequence of CodedColumn
        Whole numbers that it may be nested in, where it is in none of `parents`.
    hierarchy : GeneralizationHierarchy, optional
        Of the column, every value in it.
    rows : ndarray of shape (n,), int64, optional
        Individuals whom each row stands for, without `persons`; by default one.

    Returns
    -------
    released : CodedColumn
        With the categories that are common, those that no row holds, and groups.
    pool : Pool or None
    pooled : Pooled or None
        Both None where no value is rare.

    Examples
    --------
    >>> import pandas as pd
    >>> pets = pd.DataFrame({"pet": ["cat"] * 12 + ["dog"] * 9 + ["owl", "elk"]})
    >>> column = Column(
    ...     name="pet", kind="categorical", dtype="str",
    ...     categories=("cat", "dog", "elk", "owl"),
    ... )
    >>> released, pool, pooled = pool_categories(TableValues(pets), column, 10)
    >>> released.column.categories, pooled.values, pooled.rows
    (('cat', '(other)'), 3, 11)
    """
    values, missing = table.read(column)
    n_values = len(column.categories)
    codes = np.where(missing, n_values, values)
    holders = count_holders(codes, n_values + 1, persons, rows)
    few = (holders > 0) & (holders < rare)
    if not few.any():
        return CodedColumn(column, np.where(missing, -1, values)), None, None
    found = _Values(table, column, codes, holders, few, persons, rare, rows)
    if column.kind == "categorical":
        nodes = {} if hierarchy is None else _by_hierarchy(found, hierarchy)
        settled = np.isin(codes, list(nodes))
        pool = _by_parent(found, parents, settled)
        of_numbers = pool if pool.parent else _by_parent(found, numbers, settled)
        if pool.parent is None and of_numbers.targets:
            pool, parents = of_numbers, numbers
        elif pool.parent is None:
            pool = _by_parent(found, parents, settled, is_loose=True)
        groups = [*nodes.values(), *pool.targets.values(), pool.default]
        released = _released_column(found, groups)
        parent = next((p for p in parents if p.column.name == pool.parent), None)
        of_code = _codes_in(released, column)
        new = pool.encode(of_code[codes], ~few[codes], released, parent)
        for code, label in nodes.items():
            new[codes == code] = released.categories.index(label)
    else:
        nearest = _nearest_common(found)
        pool = Pool(column.name, None, {}, found.commonest)
        released = _released_column(found, [found.commonest])
        new = _codes_in(released, column)[nearest[codes]]
    of_rows = few[codes].sum() if rows is None else rows[few[codes]].sum()
    pooled = Pooled(column.name, int(few.sum()), int(of_rows))
    return CodedColumn(released, new, pool.groups), pool, pooled


@dataclass(frozen=True, eq=False)
class _Values:
    """A column's values, missing being the last, and who holds them."""

    table: TableValues
    column: Column
    codes: np.ndarray
    holders: np.ndarray
    few: np.ndarray
    persons: Persons | None
    rare: int
    rows: np.ndarray | None

    @property
    def is_text(self) -> bool:
        """Whether its values are texts, so that a group can have a name among them."""
        return all(isinstance(value, str) for value in self.column.categories)

    def enough(self, rows: np.ndarray) -> bool:
        """Whether some rows, given as a mask, are those of `rare` individuals."""
        if self.persons is None:
            found = rows.sum() if self.rows is None else self.rows[rows].sum()
            return found >= self.rare
        return len(np.unique(self.persons.codes[rows])) >= self.rare

    def is_mostly(self, other: str, rows: np.ndarray) -> bool:
        """Whether most of some rows have the same value in another column, as texts."""
        frame, names = self.table.frame, (self.column.name, other)
        one, same = (frame[name][rows].astype(str).to_numpy() for name in names)
        of_rows = None if self.rows is None else self.rows[rows]
        return bool(np.average(one == same, weights=of_rows) > _MOSTLY)

    @property
    def common(self) -> np.ndarray:
        """Codes of the categories that are released, missing left out."""
        return np.flatnonzero(self.holders[:-1] >= self.rare)

    @property
    def commonest(self) -> Any:
        """The commonest value; if even that is rare, missing where this can be."""
        best = int(self.holders[:-1].argmax())
        if self.few[best] and holds_missing(self.column):
            return None
        return self.column.categories[best]


def _by_hierarchy(found: _Values, hierarchy: GeneralizationHierarchy) -> dict[int, str]:
    """Node that rare categories are released as, by their codes; not of all of them."""
    column, codes = found.column, found.codes
    rare = np.flatnonzero(found.few[:-1])
    if not found.is_text:
        return {}
    texts = [column.categories[code] for code in rare]
    leaves = hierarchy.leaf_codes(texts)
    names = {column.categories[code] for code in found.common}
    taken = {*names, *(column.missing or ())}
    nodes: dict = {}
    for level in range(1, hierarchy.height):
        node_of = hierarchy.node_of(level)[leaves]
        for node in np.unique(node_of):
            group = [code for code in rare[node_of == node] if code not in nodes]
            name = hierarchy.labels[level][node]
            own = [text for text, of in zip(texts, node_of, strict=True) if of == node]
            if found.enough(np.isin(codes, group)) and not spells(name, own):
                label = distinct_name(name, taken)
                nodes |= dict.fromkeys(group, label)
    return nodes


def _by_parent(
    found: _Values,
    parents: Sequence[CodedColumn],
    settled: np.ndarray,
    is_loose: bool = False,
) -> Pool:
    """Names of the groups of a column without an order, some rows settled already."""
    column, codes, named = found.column, found.codes, found.is_text
    is_rare, missing = found.few[codes], codes == len(column.categories)
    is_few = is_rare & ~settled
    left, targets = is_few.copy(), {}

    places = [np.where(p.codes < 0, len(p.column.categories), p.codes) for p in parents]
    if is_loose:
        at = _loose_parent(found, parents, places)
    else:
        at = finest_parent(codes, missing, places, found.rows)
    if at is not None:
        for code, value in enumerate(parents[at].column.categories):
            within = places[at] == code
            group = within & is_few & ~missing
            kept = within & ~is_rare & ~missing
            of_kept = None if found.rows is None else found.rows[kept]
            common = np.bincount(codes[kept], of_kept)
            best = common.argmax() if len(common) else -1
            if named and found.enough(group):
                targets[value] = _group_name(column, value)
                above = parents[at]
                if value in above.groups and found.is_mostly(above.column.name, group):
                    targets[value] = distinct_name(value, set(column.missing or ()))
            elif found.enough(kept & (codes == best)):
                targets[value] = column.categories[best]
            else:
                continue
            left &= ~group

    default = found.commonest
    if named and found.enough(left):
        default = _group_name(column)
    elif default is None and targets:
        default = next(iter(targets.values()))
    elif not named and default is not None and is_rare.all():
        raise SchemaError(
            f"Column {column.name!r}: expected a category of {found.rare} "
            "individuals, to be released in place of rarer ones. Received none, and "
            "no texts, whose rare ones would be released as a group. Drop the "
            "column, take its numbers for quantities (`kind` in a schema), or give "
            "them as texts."
        )
    parent = None if at is None else parents[at].column.name
    themselves = {column.categories[code] for code in found.common}
    told = {default, *targets.values()} - themselves
    groups = frozenset(v for v in told if isinstance(v, str) and v.endswith(OTHER))
    return Pool(column.name, parent, targets, default, groups)


def _loose_parent(
    found: _Values, parents: Sequence[CodedColumn], places: list[np.ndarray]
) -> int | None:
    """A column that it is nested in but for a fifth of the rows, and does not repeat.

    Where most of the rows have the same value in both, as those born where they live,
    a rare one of the others is no other one of the same.
    """
    known = found.codes < len(found.column.categories)
    if not known.any():
        return None
    others = [*range(len(parents))]
    while others:
        left = [places[k] for k in others]
        at = finest_parent(found.codes, ~known, left, found.rows, _MAX_LOOSE)
        if at is None:
            break
        if not found.is_mostly(parents[others[at]].column.name, known):
            return others[at]
        del others[at]
    return None


def _group_name(column: Column, parent: Any = OTHER) -> str:
    """Name of a group of rare values, which is no missing mark."""
    name = OTHER if parent == OTHER else f"{parent} {OTHER}"
    return distinct_name(name, set(column.missing or ()))


def _nearest_common(found: _Values) -> np.ndarray:
    """Code that each value of an ordered column is released as."""
    common, n_values = found.common, len(found.column.categories)
    nearest = np.arange(n_values + 1)
    if not len(common):
        back = n_values
        if found.commonest is not None:
            back = found.column.categories.index(found.commonest)
        return np.where(found.few, back, nearest)
    for code in np.flatnonzero(found.few):
        distance = abs(common - code) if code < n_values else np.zeros(len(common))
        # Of two that are as near the commoner one.
        nearest[code] = common[np.lexsort((-found.holders[common], distance))[0]]
    return nearest


def _codes_in(released: Column, column: Column) -> np.ndarray:
    """Code that each category of a column has among the released ones, missing last."""
    kept = {value: code for code, value in enumerate(released.categories)}
    return np.array([kept.get(v, -1) for v in (*column.categories, None)])


def _released_column(found: _Values, more: Sequence) -> Column:
    """The column with the categories that are not rare, and some more."""
    column = found.column
    if column.kind == "boolean":
        return column
    pairs = zip(column.categories, found.few[:-1], strict=True)
    kept = [value for value, few in pairs if not few]
    new = [value for value in dict.fromkeys(more) if value is not None]
    return replace(
        column, categories=(*kept, *(value for value in new if value not in kept))
    )
