"""Patterns of keys, and where in them there is room for others.

Most keys are a number with something around it that many share: P0017, 2023-000123,
17/DE. Where they are not, or their numbers are of one length, each place of them has
characters of some alphabet. Others of the pattern differ from all in a place that all
have empty, or begin in a way that none begins; which one tells nothing else of them.
"""

import re
import string
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_ALPHABETS = (
    string.digits,
    string.ascii_uppercase,
    string.ascii_lowercase,
    string.digits + "ABCDEF",
    string.digits + "abcdef",
    string.digits + string.ascii_uppercase,
    string.digits + string.ascii_lowercase,
    string.hexdigits,
    string.ascii_letters,
    string.digits + string.ascii_letters,
)
#: What is around the number of a key is told if so many persons share it, or all.
MIN_AROUND = 20
# Share of the keys that may be of other forms than that of the rest.
_MAX_ODD = 0.05
# How often another beginning is tried, of which at most half are taken.
_TRIES = 20
_TOKEN = re.compile(r"[0-9]+|[^0-9]+")


def usual_ones(
    texts: Sequence[str], whose: NDArray[np.int64] | None = None
) -> NDArray[np.bool_]:
    """Which keys are of the form of nearly all; all of them where there is none.

    Others are at most .05 of the keys and of fewer than `MIN_AROUND` persons. They have
    other runs of digits and of letters than those that are made like the usual ones, or
    are shorter, so that none is made again.

    Parameters
    ----------
    texts : sequence of str, length n
    whose : ndarray of int64, shape (n,), optional
        Person of each; by default each is of another.

    Returns
    -------
    ndarray of bool, shape (n,)

    Examples
    --------
    >>> usual_ones([f"P-{i:03d}" for i in range(60)] + ["P17a"])[58:].tolist()
    [True, True, False]
    """
    keys = pd.Series(texts, dtype="str")
    whose = np.arange(len(texts)) if whose is None else whose
    runs = keys.str.replace(r"[0-9]+", "0", regex=True)
    usual = _of_nearly_all(runs.str.replace(r"[^0-9]+", "a", regex=True), whose)
    if usual is not None and split_numbers(keys[usual].tolist(), whose[usual]):
        return usual
    lengths = keys.str.len()
    usual = _of_nearly_all(lengths, whose)
    if usual is not None and (lengths <= lengths[usual].max()).all():
        return usual
    return np.ones(len(texts), dtype=bool)


def _of_nearly_all(forms, whose):
    """Which are of the commonest form; None where too many are of others."""
    is_usual = (forms == forms.mode().iat[0]).to_numpy()
    n_others = len(np.unique(whose[~is_usual]))
    is_odd = n_others < MIN_AROUND and (~is_usual).mean() <= _MAX_ODD
    return is_usual if is_odd else None


def split_numbers(
    texts: Sequence[str], whose: NDArray[np.int64] | None = None
) -> tuple[tuple[tuple[str, str], ...], list[str]] | None:
    """What is around the numbers of keys, and these.

    The number is the run of digits that differs most, the last one of several.

    Parameters
    ----------
    texts : sequence of str, length n
    whose : ndarray of int64, shape (n,), optional
        Person of each; by default each is of another.

    Returns
    -------
    tuple of (str, str)
        What is before and behind them, of `MIN_AROUND` persons each, or of all.
    list of str
        The number of each key.
        None where keys are not made so, or half of them are of others.

    Examples
    --------
    >>> split_numbers(["P017", "P231"])
    ((('P', ''),), ['017', '231'])
    >>> split_numbers(["P017", "17-P"]) is None
    True
    """
    tokens, at = tokens_of(texts)
    if at is None:
        return None
    around = pd.Series([("".join(t[:at]), "".join(t[at + 1 :])) for t in tokens])
    whose = np.arange(len(texts)) if whose is None else whose
    n_persons = pd.Series(whose).groupby(around).nunique()
    told = n_persons.index[(n_persons >= MIN_AROUND) | (len(n_persons) == 1)]
    if around.isin(told).mean() <= 0.5:
        return None
    return tuple(sorted(told)), [own[at] for own in tokens]


def tokens_of(texts: Sequence[str]) -> tuple[list[list[str]], int | None]:
    """Runs of digits and of others in keys, and which of them is the number.

    None where they are not of one kind, or without digits.

    Examples
    --------
    >>> tokens_of(["P-17", "P-231"])
    ([['P-', '17'], ['P-', '231']], 1)
    """
    tokens = [_TOKEN.findall(text) for text in texts]
    kinds = {tuple(token.isdecimal() for token in own) for own in tokens}
    if len(kinds) != 1 or not any(kind := kinds.pop()):
        return tokens, None
    n_values = [
        len(set(own)) * is_number
        for own, is_number in zip(zip(*tokens, strict=True), kind, strict=True)
    ]
    return tokens, len(kind) - 1 - n_values[::-1].index(max(n_values))


def places_of(texts: Sequence[str], is_whole: bool = False) -> tuple[str, ...] | None:
    """The characters of each place; None where texts are of no pattern.

    Parameters
    ----------
    texts : sequence of str
    is_whole : bool, default=False
        Whether they are whole numbers, which do not begin with 0.
    """
    if len(set(map(len, texts))) > 1:
        return None
    places = []
    for characters in map(set, zip(*texts, strict=True)):
        if len(characters) == 1:
            places.append(characters.pop())
            continue
        alphabet = next((a for a in _ALPHABETS if characters <= set(a)), None)
        if alphabet is None:
            return None
        places.append(alphabet[is_whole and not places :])
    return tuple(places)


def counter(places: Sequence[str]) -> int:
    """Where the last run of places that differ begins; their number if none does."""
    differ = [len(place) > 1 for place in places]
    if not any(differ):
        return len(places)
    start = len(places) - 1 - differ[::-1].index(True)
    while start and (differ[start - 1] or places[start - 1] in string.digits):
        start -= 1
    return differ.index(True, start)


def other_places(texts: Sequence[str], places: tuple[str, ...]) -> tuple[str, ...]:
    """Places of texts of which none is of these, in the same pattern.

    The place before the counter is filled where all have it empty; or places at the
    beginning are as none has them, the others having room for as many; else there is
    one more.

    Parameters
    ----------
    texts : sequence of str, length n
    places : tuple of str
        Of these, as of `places_of`.

    Examples
    --------
    >>> digits = "0123456789"
    >>> other_places(["K017", "K023"], ("K", "0", digits, digits))
    ('K', '1', '0123456789', '0123456789')
    >>> other_places(["K27", "K03"], ("K", digits, digits))
    ('K', '1', '0123456789')
    """
    at = counter(places)
    first = places[at] if at < len(places) else string.digits
    zero, one = first[0], first[1]
    if at > 0 and places[at - 1] == zero:
        return *places[: at - 1], one, *places[at:]
    return _free_places(texts, places) or (*places[:at], one, *places[at:])


def _free_places(texts, places):
    """Places that begin as no text does, with room for as many; None without any."""
    differ = [at for at, place in enumerate(places) if len(place) > 1]
    rng = np.random.default_rng(0)
    for n_fixed in range(1, len(differ) + 1):
        fixed, rest = differ[:n_fixed], differ[n_fixed:]
        room = np.prod([len(places[at]) for at in rest], dtype=np.float64)
        if room <= len(texts):
            return None
        sizes = [len(places[at]) for at in fixed]
        taken = {tuple(text[at] for at in fixed) for text in texts}
        if 2 * len(taken) > np.prod(sizes, dtype=np.float64) and n_fixed > 1:
            continue
        # The lowest of one place; of several one that tells nothing of the others.
        tried = np.arange(sizes[0])[:, None]
        if n_fixed > 1:
            tried = rng.integers(sizes, size=(_TRIES, n_fixed))
        for own in tried.tolist():
            begins = [places[at][i] for at, i in zip(fixed, own, strict=True)]
            if tuple(begins) not in taken:
                found = list(places)
                for at, character in zip(fixed, begins, strict=True):
                    found[at] = character
                return tuple(found)
    return None
