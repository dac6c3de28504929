"""Lists of names, or of values, as they stand in an option: between commas.

What holds a comma itself is within double quotes, as in a CSV file; a name that the
table has need not be.
"""

import re

#: What the help of an option says of such lists.
LISTED = """(repeatable; "a, b" is one name)"""

_QUOTED = re.compile(r'\s*"((?:[^"]|"")+)"\s*(?:,|$)')


def split_names(texts, known=()):
    """Names between commas; those of columns may hold commas, or end in blanks.

    Parameters
    ----------
    texts : iterable of str or None
        Of an option that can be repeated.
    known : iterable of str
        Those of the table. They need no quotes.

    Examples
    --------
    >>> split_names(['"a, b",c', 'd,e, f'], ["d,e"])
    ['a, b', 'c', 'd,e', 'f']
    """
    known = {*known}
    most = max((name.count(",") for name in known), default=0) + 1
    names = []
    for text in texts or ():
        pieces = text.split(",")
        while pieces:
            name, n = _first(pieces, known, most)
            names.append(name)
            del pieces[:n]
    return names


def _first(pieces, known, most):
    """The name that a list begins with, and over how many of its pieces it goes."""
    # The longest that names a column; else one in quotes, or up to the next comma.
    for n in range(min(most, len(pieces)), 0, -1):
        said = ",".join(pieces[:n])
        for name in (said, said.strip()):
            if name in known:
                return name, n
    quoted = _QUOTED.match(",".join(pieces))
    if quoted is None:
        return pieces[0].strip(), 1
    name = quoted[1].replace('""', '"')
    return name, quoted[1].count(",") + 1
