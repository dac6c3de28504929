"""What two releases give away together, row by row and person by person."""


def gathered(labels):
    """The rows of each class: those of equal labels."""
    found = {}
    for row, label in enumerate(labels):
        found.setdefault(label, []).append(row)
    return found


def meet(one, other):
    """Whether the sets of values of two rows have one in common in every column."""
    return all(a & b for a, b in zip(one, other, strict=True))


def by_order(first, second, left, right):
    """Fewest rows of one class of both, if row i may be of one person in both."""
    if len(first) != len(second):
        return None
    for a, b, x, y in zip(first, second, left, right, strict=True):
        if not meet(a, b) or x != y:
            return None
    both = gathered(list(zip(first, second, strict=True)))
    return min(map(len, both.values()))


def by_values(first, second, left, right):
    """Fewest rows that are left of a class of one, or of the other."""
    found = []
    for a, ours in gathered(first).items():
        for b, theirs in gathered(second).items():
            if not meet(a, b):
                continue
            own = {left[row] for row in ours} & {right[row] for row in theirs}
            if own:
                found.append(sum(left[row] in own for row in ours))
                found.append(sum(right[row] in own for row in theirs))
    return min(found, default=None)


def by_difference(first, second, left, right):
    """Fewest rows of a class beside those that must be in it, either way."""
    found = new_ones(first, second, left, right)
    found += new_ones(second, first, right, left)
    return min(found, default=None)


def new_ones(inner, outer, left, right):
    if len(inner) > len(outer):
        return []
    must, classes = {}, gathered(outer)
    for a, rows in gathered(inner).items():
        places = [b for b in classes if meet(a, b)]
        if not places:
            return []
        if len(places) == 1:
            must.setdefault(places[0], []).extend(rows)
    found = []
    for b, rows in must.items():
        theirs = [right[row] for row in classes[b]]
        for row in rows:
            if left[row] not in theirs:
                return []
            theirs.remove(left[row])
        if theirs:
            found.append(len(theirs))
    return found
