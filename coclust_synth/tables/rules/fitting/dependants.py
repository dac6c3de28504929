"""Which columns are told from others, through any number of them."""


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
