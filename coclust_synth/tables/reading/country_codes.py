"""NA among codes of countries is Namibia, and no missing value."""

from __future__ import annotations

import re
from collections.abc import Collection

_CODE = re.compile("[A-Z]{2}")
# So many different codes, and two of these neighbours of it at least: others have lists
# of two letters, too, such as the states of America, and NA for what is missing there.
_MANY, _NEIGHBOURS, _FEW = 20, frozenset(("AO", "BW", "ZA", "ZM", "ZW")), 2


def are_countries(texts: Collection[str]) -> bool:
    """Whether the different texts of a column, NA left out, are codes of countries.

    Examples
    --------
    >>> are_countries(["DE", "FR", "ZA"])
    False
    """
    return (
        len(texts) >= _MANY
        and all(map(_CODE.fullmatch, texts))
        and len(_NEIGHBOURS.intersection(texts)) >= _FEW
    )
