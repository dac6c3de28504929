"""What a divided release costs, from the formula: sets, one combination at a time.

A class of n rows whose labels are sets of values releases n / product of their sizes
rows of each combination of these. The distance is sqrt(1 - B / n), B the sum over the
table's combinations of sqrt(rows of the table * rows released); a cell loses 1 if its
value is not in its label, else (m - 1) / (M - 1) of the m values of the label, of M.
"""

import math
from collections import Counter


def cost(pieces, covers, domains, share):
    """Logarithm of H^(1 - s) l^s of classes, half a row at least lost and not given.

    Parameters
    ----------
    pieces : list of (combination, rows, class)
    covers : list of list of set
        Of each class, the values of each variable.
    domains : list of int
        Number of values of each variable.
    share : float
    """
    held, sizes = Counter(), Counter()
    for combination, rows, own in pieces:
        held[combination] += rows
        sizes[own] += rows
    n = sum(sizes.values())
    given = 0.0
    for combination, rows in held.items():
        released = math.fsum(
            size / math.prod(map(len, covers[own]))
            for own, size in sizes.items()
            if has(covers[own], combination)
        )
        given += math.sqrt(rows * released)
    lost = math.fsum(
        rows * cell_loss(value, cover, n_values) / len(domains)
        for combination, rows, own in pieces
        for value, cover, n_values in zip(
            combination, covers[own], domains, strict=True
        )
    )
    distance = math.sqrt(max(n - given, 0.5) / n)
    return (1 - share) * math.log(distance) + share * math.log(max(lost, 0.5) / n)


def has(cover, combination):
    return all(value in own for value, own in zip(combination, cover, strict=True))


def cell_loss(value, cover, n_values):
    return (len(cover) - 1) / max(n_values - 1, 1) if value in cover else 1.0


def joined(pieces, covers, place, target, truthful):
    """Releases with a piece in another class, under covers with its values or not.

    Covers that are not truthful lose what nobody holds any more, unless that is all.
    """
    combination, rows, own = pieces[place]
    moved = [*pieces]
    moved[place] = combination, rows, target
    left = [c for c, _, of in moved if of == own]
    for widened in (True, False):
        new = [[{*values} for values in cover] for cover in covers]
        for j, value in enumerate(combination):
            if widened or truthful[j]:
                new[target][j].add(value)
            present = {c[j] for c in left}
            new[own][j] = (new[own][j] & present) or present or new[own][j]
        yield moved, new
