"""Measures of released rows, tuples of sets of values, from their formulas.

A row None is suppressed. `domains` are the values of each column.
"""

from collections import Counter
from fractions import Fraction


def set_loss(rows, domains):
    cells = [
        (1 if row is None else Fraction(len(row[k]) - 1, max(len(domain) - 1, 1)))
        for row in rows
        for k, domain in enumerate(domains)
    ]
    return sum(cells) / len(cells)


def range_loss(rows, domains):
    """Of columns of several numbers, none missing."""
    cells = [
        1
        if row is None
        else Fraction(max(row[k]) - min(row[k]), max(domain) - min(domain))
        for row in rows
        for k, domain in enumerate(domains)
    ]
    return sum(cells) / len(cells)


def arx_losses(rows, domains, sizes):
    """x of each column of several values."""
    losses = []
    for k, (domain, size) in enumerate(zip(domains, sizes, strict=True)):
        total = Fraction(0)
        for row in rows:
            whole = row is None or len(row[k]) == len(domain)
            total += 1 if whole else Fraction(len(row[k]), size)
        least = Fraction(len(rows), size)
        losses.append(max(0, (total - least) / (len(rows) - least)))
    return losses


def discernability(rows):
    """For each row, the rows it cannot be told from; all of them if suppressed."""
    total = 0
    for row in rows:
        total += len(rows) if row is None else sum(row == other for other in rows)
    return total


def classification_metric(rows, targets):
    penalties = 0
    for row in set(rows):
        of_class = [t for r, t in zip(rows, targets, strict=True) if r == row]
        best = Counter(of_class).most_common(1)[0][1]
        penalties += len(of_class) - (0 if row is None else best)
    return Fraction(penalties, len(rows))
