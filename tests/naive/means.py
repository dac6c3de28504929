"""Microaggregation of one column, by trying all groupings."""


def near_groups_cost(values, k):
    """The least sum of squares within groups of k or more, of any grouping."""
    values = sorted(values)

    def best(rest):
        if not rest:
            return 0.0
        found = [float("inf")]
        for size in range(k, len(rest) + 1):
            own = rest[:size]
            mean = sum(own) / size
            within = sum((value - mean) ** 2 for value in own)
            found.append(within + best(rest[size:]))
        return min(found)

    return best(values)
