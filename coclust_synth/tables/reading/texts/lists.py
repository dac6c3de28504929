"""Texts that list what somebody ticked: ``Docker, SQL``, ``Bus;Train``.

A questionnaire in which several answers may be ticked is exported with one text for all
of them. Most such texts are rare, their items are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

import numpy as np

from coclust_synth.tables.reading.texts.patterns import PATTERN, are_in_patterns

#: The `format` of a column of such texts, and those of texts that are no categories.
LIST = "list"
TEXT_FORMATS = PATTERN, LIST

# What stands between items, and how it may be written: as nearly all of it are.
_MARKS = {";": ("; ", ";"), "|": (" | ", "|"), ",": (", ", ","), "\n": ("\r\n", "\n")}
_NEARLY_ALL = 0.99
# So many texts have several items. An item is one that several of the texts have: of
# names, addresses and sentences few are.
_MANY, _SEVERAL, _SHARED = 10, 3, 0.8
# Items are put together anew: there are at most so many for each text, and in all.
_MAX_ITEMS, _MOST_ITEMS = 0.5, 200
# They have no places of their own, as a town and its state have: behind others are
# those that begin a text as well.
_FREE = 0.5
# They are ticked once each, and listed in one order, but for so few.
_MAX_BROKEN = 0.01


class Lists(NamedTuple):
    """How texts list items.

    Attributes
    ----------
    separator : str
        Between items.
    items : tuple of str
        That several texts have, in the order in which all texts list them.
    end : str
        Of all texts: programs put a separator behind the last item, too.
    """

    separator: str
    items: tuple[str, ...]
    end: str = ""

    @classmethod
    def of(cls, texts: Sequence[str]) -> Lists | None:
        """How different texts list items, or None if they do not.

        Items are in more than one text, in all of them in one order, and none of them
        twice; each can be the first: a town and its state are none.

        Parameters
        ----------
        texts : sequence of str
            Those of a column.

        Examples
        --------
        >>> from itertools import combinations
        >>> ticked = "bus", "car", "train", "tram"
        >>> texts = ["; ".join(c) for n in (1, 2, 3) for c in combinations(ticked, n)]
        >>> Lists.of(texts)
        Lists(separator='; ', items=('bus', 'car', 'train', 'tram'), end='')
        """
        separator, end = _separator(texts)
        if separator is None:
            return None
        whole = cls(separator, (), end)
        listed = [whole.split(text) or [text] for text in texts]
        several = [items for items in listed if len(items) > 1]
        if len(several) < _MANY:
            return None
        counts = Counter(item for items in listed for item in {*items})
        shared = {item for item, n in counts.items() if n >= _SEVERAL and item.strip()}
        most = min(_MAX_ITEMS * len(texts), _MOST_ITEMS)
        if not _are_items(shared, separator) or len(shared) > most:
            return None
        mentions = [item for items in several for item in items]
        if sum(item in shared for item in mentions) < _SHARED * len(mentions):
            return None
        n_twice = sum(len({*items}) < len(items) for items in listed)
        first = {items[0] for items in listed}
        behind = [item for items in several for item in items[1:] if item in shared]
        n_free = sum(item in first for item in behind)
        if n_twice > _MAX_BROKEN * len(texts) or n_free < _FREE * len(behind):
            return None
        order = _order(several, shared)
        return None if order is None else whole._replace(items=order)

    def split(self, text: str) -> list[str] | None:
        """The items of a text; None where it has not the end of all.

        Examples
        --------
        >>> Lists(";", (), ";").split("a;b;"), Lists(";", (), ";").split("a;b")
        (['a', 'b'], None)
        """
        if not text.endswith(self.end):
            return None
        return text.removesuffix(self.end).split(self.separator)

    def write(self, items: Iterable[str]) -> str:
        """A text that lists items: undoes `split`."""
        return self.separator.join(items) + self.end

    def read(self, text: str, known: Mapping[str, int]) -> list[int] | None:
        """The items of a text by their numbers, -1 of others; None if it is no list.

        Parameters
        ----------
        text : str
        known : mapping of str to int
            Numbers of items, in their order.

        Examples
        --------
        >>> Lists(", ", ("a", "b")).read("a, c, b", {"a": 0, "b": 1})
        [0, -1, 1]
        >>> Lists(", ", ("a", "b")).read("b, a", {"a": 0, "b": 1}) is None
        True
        """
        items = self.split(text)
        if items is None:
            return None
        numbers = [known.get(item, -1) for item in items]
        ordered = [number for number in numbers if number >= 0]
        is_list = len({*items}) == len(items) and ordered == sorted(ordered)
        return numbers if is_list else None


def format_of_texts(texts: Sequence[str]) -> str | None:
    """How plain tables draw the texts of a column, if they are no categories.

    Parameters
    ----------
    texts : sequence of str

    Returns
    -------
    {"pattern", "list"} or None
    """
    if are_in_patterns(texts):
        return PATTERN
    return None if Lists.of(texts) is None else LIST


def _separator(texts):
    """What stands between items, and behind the last one; None where few have any."""
    n_with = {mark: sum(mark in text for text in texts) for mark in _MARKS}
    mark = max(n_with, key=n_with.__getitem__)
    if n_with[mark] < _MANY:
        return None, ""
    n_closed = sum(text.endswith(mark) for text in texts)
    end = mark if n_closed >= _NEARLY_ALL * len(texts) else ""
    inner = [text.removesuffix(end) for text in texts]
    n_marks = sum(text.count(mark) for text in inner)
    for written in _MARKS[mark]:
        if n_marks and sum(t.count(written) for t in inner) >= _NEARLY_ALL * n_marks:
            return written, end
    return None, ""


def _are_items(shared, separator):
    """Whether texts are items: beside commas numbers are decimals or thousands."""
    if separator.strip() != ",":
        return bool(shared)
    return bool(shared) and all(any(map(str.isalpha, item)) for item in shared)


def _order(listed: Iterable[list[str]], shared: set[str]) -> tuple[str, ...] | None:
    """The order in which texts list their items, None where there is none."""
    names = sorted(shared)
    numbers = {item: i for i, item in enumerate(names)}
    texts = [[numbers[item] for item in items if item in numbers] for items in listed]
    places = np.full((len(texts), len(names)), -1)
    for row, items in zip(places, texts, strict=True):
        row[items] = np.arange(len(items))
    before = np.zeros((len(names), len(names)), dtype=np.int64)
    for i, own in enumerate(places.T):
        rows = np.flatnonzero(own >= 0)
        before[i] = (places[rows] > own[rows, None]).sum(axis=0)
    if np.minimum(before, before.T).sum() / 2 > _MAX_BROKEN * before.sum():
        return None
    # By names first, so that the order is one for the same texts in another order.
    is_before = before > before.T
    sorter = TopologicalSorter(
        {i: np.flatnonzero(own).tolist() for i, own in enumerate(is_before.T)}
    )
    try:
        sorter.prepare()
    except CycleError:
        return None
    order: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += [names[i] for i in ready]
        sorter.done(*ready)
    return tuple(order)
