"""MDAV from its text: every record looked at in every step, exact sums.

A record is (numbers, ranks, names): numbers are averaged, ranks of ordinal values have
their median, names of nominal values their mode.
"""

import math
from collections import Counter


def median(ranks, n_categories, convex=False):
    counts = [ranks.count(c) for c in range(n_categories)]
    if convex:
        # As many as a rank on either side has, if that is more.
        counts = [
            min(max(counts[: c + 1]), max(counts[c:])) for c in range(n_categories)
        ]
    return [c for c, count in enumerate(counts) for _ in range(count)][
        (sum(counts) - 1) // 2
    ]


def mode(names):
    counts = Counter(names)
    return min(counts, key=lambda name: (-counts[name], name))


def centre(rows, n_categories, convex):
    numbers, ranks, names = (
        list(zip(*part, strict=True)) for part in zip(*rows, strict=True)
    )
    return (
        [math.fsum(column) / len(rows) for column in numbers],
        [
            median(column, n, convex)
            for column, n in zip(ranks, n_categories, strict=True)
        ],
        [mode(column) for column in names],
    )


def distance(one, other, n_categories):
    """Squared: of numbers, of shares of categories between, and one for each name."""
    total = 0.0
    for a, b in zip(one[0], other[0], strict=True):
        total += (a - b) * (a - b)
    for a, b, n in zip(one[1], other[1], n_categories, strict=True):
        total += (a / n - b / n) * (a / n - b / n)
    for a, b in zip(one[2], other[2], strict=True):
        total += a != b
    return total


def mdav(rows, k, end_rule="literature", n_categories=(), convex=False):
    """Groups, as lists of positions."""
    left, groups = list(range(len(rows))), []

    def far(point):
        gaps = [distance(rows[i], point, n_categories) for i in left]
        return left[gaps.index(max(gaps))]

    def farthest_from_centre():
        return far(centre([rows[i] for i in left], n_categories, convex))

    def gather(i):
        others = [j for j in left if j != i]
        others.sort(key=lambda j: (distance(rows[j], rows[i], n_categories), j))
        groups.append([i, *others[: k - 1]])
        for j in groups[-1]:
            left.remove(j)

    pairs_from, one_from = {"literature": (2 * k, k), "sdcmicro": (3 * k, 2 * k)}[
        end_rule
    ]
    while len(left) >= pairs_from:
        r = farthest_from_centre()
        gather(r)
        gather(far(rows[r]))
    if len(left) >= one_from:
        gather(farthest_from_centre())
    if end_rule == "sdcmicro":
        groups.append(left)
        return groups
    centres = [centre([rows[i] for i in g], n_categories, convex) for g in groups]
    for i in left:
        gaps = [distance(rows[i], c, n_categories) for c in centres]
        groups[gaps.index(min(gaps))].append(i)
    return groups


def sse(rows, groups):
    """Sum of squared differences from the mean of the group."""
    total = 0.0
    for group in groups:
        for column in zip(*(rows[i] for i in group), strict=True):
            mean = math.fsum(column) / len(column)
            total += math.fsum((value - mean) ** 2 for value in column)
    return total


def partitions(n, k):
    """Every way to put n records in groups of k or more."""

    def extend(groups, i):
        if i == n:
            if all(len(group) >= k for group in groups):
                yield [list(group) for group in groups]
            return
        for group in groups:
            group.append(i)
            yield from extend(groups, i + 1)
            group.pop()
        if sum(max(k - len(group), 0) for group in groups) + k <= n - i:
            yield from extend([*groups, [i]], i + 1)

    return extend([], 0)
