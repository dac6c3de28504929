"""What perturbed values disclose, row by row from the definitions."""


def interval_disclosure(real, released):
    n, ranked, shares = len(real), sorted(released), []
    for percent in range(1, 11):
        away, inside = n * percent // 100, 0
        for true, given in zip(real, released, strict=True):
            places = [rank for rank in range(n) if ranked[rank] == given]
            near = ranked[max(0, places[0] - away) : places[-1] + away + 1]
            inside += near[0] <= true <= near[-1]
        shares.append(inside / n)
    return sum(shares) / len(shares)


def linked_share(real, released):
    found = 0.0
    for row, point in enumerate(real):
        apart = [
            sum((a - b) ** 2 for a, b in zip(point, other, strict=True))
            for other in released
        ]
        if apart[row] == min(apart):
            found += 1 / apart.count(min(apart))
    return found / len(real)


def true_given_released(shares, matrix):
    """By Bayes' rule, value by value."""
    found = []
    for k in range(len(shares)):
        read = sum(shares[j] * matrix[j][k] for j in range(len(shares)))
        found.append(shares[k] * matrix[k][k] / read)
    return found


def standardised_changes(real, released):
    mean = sum(real) / len(real)
    variance = sum((own - mean) ** 2 for own in real) / (len(real) - 1)
    return [
        abs(a - b) / (2 * variance) ** 0.5 for a, b in zip(real, released, strict=True)
    ]
