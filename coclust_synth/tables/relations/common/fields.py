"""How names and numbers of relations are read and written."""

import math


def distinct_names(names, n):
    """Texts of a list, as a tuple; a ValueError or TypeError if not n distinct ones."""
    if not isinstance(names, list | tuple):
        raise TypeError
    if len(names) != n or len(set(names)) < n:
        raise ValueError
    if not all(isinstance(name, str) for name in names):
        raise TypeError
    return tuple(names)


def finite_number(value):
    """A number as a float; a ValueError or TypeError if it is no finite one."""
    if isinstance(value, bool) or not math.isfinite(value):
        raise ValueError
    return float(value)


def as_written(number):
    """A coefficient in a file: whole ones without decimals."""
    return int(number) if number == int(number) else number
