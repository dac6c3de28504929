"""Laws of noise from their formulas, in fractions and in many decimal digits."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

DIGITS = 200


def discrete_laplace(x, scale):
    """(1 - a) / (1 + a) a^|x|, a = exp(-1 / scale)."""
    a = math.exp(-1 / scale)
    return (1 - a) / (1 + a) * a ** abs(x)


def tail(threshold, scale):
    """Sum of the law from a threshold on, term by term."""
    total, x = 0.0, threshold
    while (term := discrete_laplace(x, scale)) > 1e-18 * (total + 1e-300):
        total, x = total + term, x + 1
    return total


def passing_probability(threshold, scale):
    """a^t / (1 + a) as a Decimal of many digits."""
    with localcontext(prec=DIGITS + _lost(threshold, scale)):
        a = (-1 / Decimal(scale)).exp()
        return a**threshold / (1 + a)


def rate_passed_over(threshold, scale):
    """-log(1 - p) as a Decimal of many digits."""
    with localcontext(prec=DIGITS + _lost(threshold, scale)):
        return -(1 - passing_probability(threshold, scale)).ln()


def _lost(threshold, scale):
    """Digits that 1 - p loses."""
    return math.ceil(threshold / scale / math.log(10))


def geometric(bits, n_bits, rate):
    """floor(-log(bits / 2^n_bits) / rate), in many digits."""
    with localcontext(prec=DIGITS):
        u = Decimal(bits) / Decimal(2**n_bits)
        return math.floor(-u.ln() / rate)


def permute_and_flip(scores, *, epsilon, sensitivity):
    """Probability of each index: first heads of coins exp(eps (q - max) / 2 s),
    tossed in random order again and again (McKenna, Sheldon, 2020, algorithm 1)."""
    coins = [
        math.exp(epsilon * (score - max(scores)) / (2 * sensitivity))
        for score in scores
    ]
    chosen = [0.0] * len(scores)
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        left = 1 / len(orders)
        for index in order:
            chosen[index] += left * coins[index]
            left *= 1 - coins[index]
    return chosen


def row_score(child, parents):
    """n R in exact fractions, not rounded."""
    n = len(child)
    if n == 0:
        return Fraction(0)
    pairs = list(zip(child, parents, strict=True))
    return (
        sum(
            abs(
                Fraction(pairs.count((x, y)))
                - Fraction(list(child).count(x) * list(parents).count(y), n)
            )
            for x in set(child)
            for y in set(parents)
        )
        / 2
    )


def maximal_parent_sets(sizes, limit):
    """All sets within the limit that are part of no other one."""
    names = [name for name, _ in sizes]
    cells = dict(sizes)
    useful = [
        frozenset(chosen)
        for k in range(len(names) + 1)
        for chosen in itertools.combinations(names, k)
        if math.prod(cells[name] for name in chosen) <= limit
    ]
    return [s for s in useful if not any(s < other for other in useful)]
