"""Classes under covers, from the formula: sets, exact loops, every cover tried.

With n rows in a class and c_v of them of value v, a set of m values is worth
sum (c_v / n)^e / sqrt(m), with e = 1/2 + 1 / (3 ln k), at most 1, and 1 for truthful
covers; the objective is the sum over classes of n times the product of 1 + that, times
the influence of the variable: 1, or less where a value stands for a group of some.
"""

import math
from collections import Counter
from itertools import combinations, product
from operator import ne


def exponent(k, truthful):
    return 1.0 if truthful else min(1.0, 0.5 + 1 / (3 * math.log(k)))


def coefficient(counts, cover, n, e):
    """What a set of values is worth; 0 for the empty one."""
    if not cover:
        return 0.0
    return math.fsum((counts[v] / n) ** e for v in cover) / math.sqrt(len(cover))


def covers(counts, domain, *, is_interval, truthful):
    """Every cover that may be chosen: all sets or windows, or the one with all."""
    present = {v for v in counts if counts[v]}
    if truthful:
        return [hull(present) if is_interval else present]
    if is_interval:
        ends = range(len(domain))
        return [set(domain[i : j + 1]) for i in ends for j in ends if i <= j]
    sizes = range(1, len(domain) + 1)
    return [set(chosen) for m in sizes for chosen in combinations(domain, m)]


def hull(values):
    return set(range(min(values), max(values) + 1)) if values else set()


def best_coefficient(counts, domain, *, e, is_interval, truthful):
    n = sum(counts.values())
    tried = covers(counts, domain, is_interval=is_interval, truthful=truthful)
    return max(coefficient(counts, cover, n, e) for cover in tried)


def influence(repeats, k):
    """Half for nearness, half for what of it the number of values follows."""
    few = 1 + (k - 1) * (1 - repeats)
    share = (1 / math.sqrt(few) - 1 / math.sqrt(k)) / (1 - 1 / math.sqrt(k))
    return 0.5 + 0.5 * share


def listed_values(n_groups, values_of_group, rows_of_group):
    """Values that rows of some groups hold in the mean, over all that they can hold."""
    draws = [*product(range(values_of_group), repeat=rows_of_group)]
    return n_groups * math.fsum(len({*own}) for own in draws) / len(draws)


def fit(of_variables, n, e, influences):
    """What a class adds, from the counts and the cover of each variable."""
    if n == 0:
        return 0.0
    return n * math.prod(
        1 + own * coefficient(*pair, n, e)
        for pair, own in zip(of_variables, influences, strict=True)
    )


def counts_of(rows):
    """Counts of each variable of a class, given as rows of values."""
    return [Counter(column) for column in zip(*rows, strict=True)]


def best_fit(rows, domains, is_interval, k, truthful, influences):
    """What a class of rows adds under its best cover."""
    e = exponent(k, truthful)
    return len(rows) * math.prod(
        1
        + own
        * best_coefficient(c, domain, e=e, is_interval=interval, truthful=truthful)
        for c, domain, interval, own in zip(
            counts_of(rows), domains, is_interval, influences, strict=True
        )
    )


def fit_without(rows, own, is_interval, e, influences):
    """What the rows left add under a cover that only loses values no row has."""
    pairs = []
    for counts, cover, interval in zip(counts_of(rows), own, is_interval, strict=True):
        left = {v for v in cover if counts[v]}
        pairs.append((counts, hull(left) if interval else left))
    return fit(pairs, len(rows), e, influences)


def fit_with(rows, record, own, is_interval, e, truthful, influences):
    """What rows add, a record among them, under a cover that has its values or not."""
    pairs, n = [], len(rows)
    for counts, value, cover, interval in zip(
        counts_of(rows), record, own, is_interval, strict=True
    ):
        wider = hull(cover | {value}) if interval else cover | {value}
        tried = [wider] if truthful else [cover, wider]
        worth = [coefficient(counts, cover, n, e) for cover in tried]
        pairs.append((counts, tried[worth.index(max(worth))]))
    return fit(pairs, n, e, influences)


def fit_merged(rows, own, other, is_interval, e, influences):
    """What two classes add as one under the union of their covers, or its interval."""
    pairs = []
    for counts, a, b, interval in zip(
        counts_of(rows), own, other, is_interval, strict=True
    ):
        pairs.append((counts, hull(a | b) if interval else a | b))
    return fit(pairs, len(rows), e, influences)


def candidates(shared, room):
    """Classes by shared values, most first, whole levels until a quarter of the room.

    Parameters
    ----------
    shared : list of int or None
        Values of the record in each class's cover; None for an empty class.
    room : int
    """
    found = []
    for level in sorted({n for n in shared if n is not None}, reverse=True):
        found += [own for own, n in enumerate(shared) if n == level]
        if len(found) >= room // 4:
            break
    return found[:room]


def uneven_cut(tree, sizes, k):
    """Clusters of leaves, by going down each branch while both sides hold k or nobody.

    Parameters
    ----------
    tree : int or tuple of two trees
        A leaf, or a node.
    sizes : list of int
        Of each leaf.
    k : int
    """
    if isinstance(tree, int):
        return [{tree}]
    left, right = tree
    held = [sum(sizes[leaf] for leaf in leaves_of(side)) for side in tree]
    if all(n >= k or n == 0 for n in held):
        return uneven_cut(left, sizes, k) + uneven_cut(right, sizes, k)
    return [leaves_of(tree)]


def leaves_of(tree):
    return {tree} if isinstance(tree, int) else leaves_of(tree[0]) | leaves_of(tree[1])


def gathered(counts, parts_of_cluster, variable_of):
    """Parts that Benkhelif (2018), algorithm 1, gathers for one cluster of individuals.

    Parameters
    ----------
    counts : dict of cluster of parts to int
    parts_of_cluster : dict of cluster of parts to set of parts
    variable_of : dict of part to variable
    """
    merged, needed = set(), set(variable_of.values())
    for cluster in sorted(counts, key=lambda c: (-counts[c], c)):
        merged |= parts_of_cluster[cluster]
        if {variable_of[part] for part in merged} == needed:
            break
    return merged


def persons_of_classes(label_of_row, person_of_row):
    """Different persons among the rows of each class."""
    members = {}
    for own, person in zip(label_of_row.tolist(), person_of_row.tolist(), strict=True):
        members.setdefault(own, set()).add(person)
    return {own: len(persons) for own, persons in members.items()}


def worth_of_rows(rows, kinds, share):
    """Rows, times 1 + the share of each variable for the width of its truthful cover.

    Parameters
    ----------
    rows : list of tuple of int
    kinds : str
        i for a variable whose cover is an interval, else its values.
    share : list of list of float
        By variable and width, from 1.
    """
    found = float(len(rows))
    for column, kind, own in zip(zip(*rows, strict=True), kinds, share, strict=True):
        width = max(column) - min(column) + 1 if kind == "i" else len({*column})
        found *= 1 + own[width - 1]
    return found


def cuts(rows, persons, kinds, k, share, rank=None):
    """What both sides of each cut are worth that leaves k persons on each.

    Values of kind s are in the order of their rows, most first, others in their own.
    With a rank of each row, equal for equal ones alone, a cut can also part the rows of
    one value, those of lower rank to the lower side.
    """
    found = []
    for j, kind in enumerate(kinds):
        counts = Counter(row[j] for row in rows)
        if len(counts) == 1:
            continue
        order = sorted(counts, key=lambda v: (-counts[v], v) if kind == "s" else v)
        places = [
            (order.index(row[j]), 0 if rank is None else rank[row]) for row in rows
        ]
        for first in sorted({*places})[1:]:
            sides = [
                [i for i in range(len(rows)) if (places[i] < first) == side]
                for side in (True, False)
            ]
            if min(len({persons[i] for i in side}) for side in sides) >= k:
                found.append(
                    sum(
                        worth_of_rows([rows[i] for i in side], kinds, share)
                        for side in sides
                    )
                )
    return found


def grown(records, weights, is_interval, k, worth):
    """First classes, each begun by the record farthest from the one before it began.

    The record that leaves the truthful cover worth most joins, of equals the heaviest,
    until k rows are in; the last takes in what k rows would not be left of.

    Parameters
    ----------
    records : list of tuple of int
    weights : list of int
        Rows of each record, k or more together.
    worth : list of list of float
        By variable and width.

    Returns
    -------
    list of list of int
        Places of records, by class.
    """

    def rows_of(places):
        return sum(weights[i] for i in places)

    def worth_with(own, i):
        columns = zip(*(records[member] for member in [*own, i]), strict=True)
        return math.prod(
            of_width[max(column) - min(column) + 1 if interval else len({*column})]
            for column, interval, of_width in zip(
                columns, is_interval, worth, strict=True
            )
        )

    left, classes = [*range(len(records))], []
    while rows_of(left) >= 2 * k:
        own = [left[0]]
        if classes:
            begun = records[classes[-1][0]]
            own = [max(left, key=lambda i: sum(map(ne, records[i], begun)))]
        _take(left, own[0])
        while rows_of(own) < k:
            own.append(max(left, key=lambda i: (worth_with(own, i), weights[i])))
            _take(left, own[-1])
        if rows_of(left) < k:
            return [*classes, own + left]
        classes.append(own)
    return [*classes, left]


def _take(left, taken):
    """The last one takes the place of what is taken: of equals the first is next."""
    left[left.index(taken)] = left[-1]
    left.pop()
