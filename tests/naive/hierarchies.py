"""Hierarchies from their definitions, with sets and loops."""


def derived_partitions(values, part_of, cuts, *, ordered):
    """Groups of values of each level, by the three steps of Benkhelif (2018), 4.3.

    Parameters
    ----------
    values : list
        Of one variable; increasing if `ordered`.
    part_of : dict
        Part of each value.
    cuts : list of dict
        Cluster of each part, from the finest grid to one cluster.
    ordered : bool
        Whether only nodes next to each other meet.

    Returns
    -------
    list of set of frozenset
    """
    place = {value: i for i, value in enumerate(values)}

    def may_meet(a, b, label):
        if {label(v) for v in a} != {label(v) for v in b}:
            return False
        if len({label(v) for v in a}) != 1:
            return False
        if not ordered:
            return True
        ends = sorted(place[v] for v in a | b)
        return ends == list(range(ends[0], ends[-1] + 1))

    def meet(nodes, label):
        nodes = set(nodes)
        while True:
            pair = next(
                (
                    (a, b)
                    for a in nodes
                    for b in nodes
                    if a != b and may_meet(a, b, label)
                ),
                None,
            )
            if pair is None:
                return nodes
            nodes = nodes - set(pair) | {pair[0] | pair[1]}

    levels = [{frozenset([value]) for value in values}]
    labellings = [lambda v: part_of[v]]
    labellings += [lambda v, cut=cut: cut[part_of[v]] for cut in cuts]
    for label in labellings:
        nodes = meet(levels[-1], label)
        if nodes != levels[-1]:
            levels.append(nodes)
    return levels


def covering(lines, leaves):
    """Lowest level, and label there, of the node above some leaves.

    Parameters
    ----------
    lines : dict of str to sequence of str
        Path of each leaf.
    leaves : collection of str
    """
    height = len(next(iter(lines.values()))) - 1
    for level in range(height + 1):
        labels = {lines[leaf][level] for leaf in leaves}
        if len(labels) == 1:
            return level, labels.pop()
    raise AssertionError("no root")


def joining_level(line, other):
    """First level on which two paths meet."""
    return next(i for i, (a, b) in enumerate(zip(line, other, strict=True)) if a == b)
