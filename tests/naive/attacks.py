"""Attacks by nearest rows, from their definitions: all pairs, one at a time."""

from fractions import Fraction


def distances(rows, references, full):
    """Distance of each row to each reference, a list of lists."""
    found = []
    for x, a in zip(*rows, strict=True):
        found.append(
            [
                sum(abs(int(u) - int(v)) for u, v in zip(x, y, strict=True))
                + full * sum(int(u) != int(v) for u, v in zip(a, b, strict=True))
                for y, b in zip(*references, strict=True)
            ]
        )
    return found


def nearest_rows(rows, references, full):
    """(distance, first, how many) of each row."""
    return [
        (min(own), own.index(min(own)), own.count(min(own)))
        for own in distances(rows, references, full)
    ]


def kth_distances(rows, references, k, full):
    return [sorted(own)[k - 1] for own in distances(rows, references, full)]


def count_within(rows, references, radii, full):
    pairs = zip(distances(rows, references, full), radii, strict=True)
    return [sum(d <= radius for d in own) for own, radius in pairs]


def right_guesses(rows, references, full, tolerance):
    """Chance of each cell, those of ranked columns first."""
    found = []
    p, q = len(rows[0][0]), len(rows[1][0])
    for x, a in zip(*rows, strict=True):
        chances = []
        for k in range(p + q):
            away = []
            for y, b in zip(*references, strict=True):
                terms = [abs(int(u) - int(v)) for u, v in zip(x, y, strict=True)]
                terms += [full * (int(u) != int(v)) for u, v in zip(a, b, strict=True)]
                bound = tolerance if k < p else 0
                away.append((sum(terms) - terms[k], terms[k] <= bound))
            least = min(others for others, _ in away)
            near = [right for others, right in away if others == least]
            chances.append(float(Fraction(sum(near), len(near))))
        found.append(chances)
    return found


def link_chances(first, of_first, second, of_second, full):
    found = []
    sides = (distances(first, of_first, full), distances(second, of_second, full))
    for one, two in zip(*sides, strict=True):
        near = [{j for j, d in enumerate(own) if d == min(own)} for own in (one, two)]
        chance = Fraction(len(near[0] & near[1]), len(near[0]) * len(near[1]))
        found.append(float(chance))
    return found
