"""What private histograms score, from the definitions, value by value."""

from fractions import Fraction
from math import floor


def distances(counts):
    """Of counts from their mean, added up and rounded down."""
    mean = Fraction(sum(counts), len(counts))
    return floor(sum(abs(count - mean) for count in counts))


def cut_errors(counts):
    """Of a run, and of its halves for each way to cut it."""
    cuts = range(1, len(counts))
    halves = [distances(counts[:j]) + distances(counts[j:]) for j in cuts]
    return [distances(counts), *halves]


def majority_rows(rows, groups):
    """Rows of (value, class) that are of the largest class of their group of values."""
    found = 0
    for group in groups:
        of_class = {}
        for value, label in rows:
            if value in group:
                of_class[label] = of_class.get(label, 0) + 1
        found += max(of_class.values(), default=0)
    return found
