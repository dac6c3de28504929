"""Which columns are told from others, and what may tell another one."""


def dependants(column, fits):
    """The column, and all that are told from it.

    Parameters
    ----------
    column : str
    fits : mapping of str to relation
        That tells a column from others, by that column.

    Returns
    -------
    set of str
    """
    found = {column}
    while True:
        more = {t for t, fit in fits.items() if set(fit.parents) & found} - found
        if not more:
            return found
        found |= more


def in_turn(relations, told):
    """Of relations in an order, those whose column nothing before them tells.

    Nor do they tell a column from itself, through others or what is `told` before all.
    """
    found, kept = {each.target: each for each in told}, []
    for each in relations:
        if each.target not in found:
            if dependants(each.target, found).isdisjoint(each.parents):
                found[each.target] = each
                kept.append(each)
    return kept
