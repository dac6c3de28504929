"""Texts that list what somebody ticked: ``Docker, SQL``, ``Bus;Train``.

A questionnaire in which several answers may be ticked is exported with one text for all
of them. Most such texts are rare, their items are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import NamedTuple

from coclust_synth.tables.reading.texts.patterns import PATTERN, are_in_patterns

#: The `format` of a column of such texts, and those of texts that are no categories.
LIST = "list"
TEXT_FORMATS = PATTERN, LIST

# What stands between items, and how it may be written: as nearly all of it are.
_MARKS = {";": ("; ", ";"), "|": (" | ", "|"), ",": (", ", ","), "\n": ("\n",)}
_NEARLY_ALL = 0.99
# So many texts have several items. An item is one that several of the texts have: of
# names, addresses and sentences few are.
_MANY, _SEVERAL, _SHARED = 10, 3, 0.8
# Items are put together anew: there are at most so many for each text.
_MAX_ITEMS = 0.5
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
    """

    separator: str
    items: tuple[str, ...]

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
        >>> ticked = "bus", "car", "train", "tram"
        >>> texts = ["; ".join(c) for n in (1, 2, 3) for c in combinations(ticked, n)]
        >>> Lists.of(texts)
        Lists(separator='; ', items=('bus', 'car', 'train', 'tram'))
        """
        separator = _separator(texts)
        if separator is None:
            return None
        listed = [text.split(separator) for text in texts]
        several = [items for items in listed if len(items) > 1]
        if len(several) < _MANY:
            return None
        counts = Counter(item for items in listed for item in {*items})
        shared = {item for item, n in counts.items() if n >= _SEVERAL and item.strip()}
        if not _are_items(shared, separator) or len(shared) > _MAX_ITEMS * len(texts):
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
        return None if order is None else cls(separator, order)

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
        items = text.split(self.separator)
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
    """What stands between items in most of the texts; None where too few have any."""
    n_with = {mark: sum(mark in text for text in texts) for mark in _MARKS}
    mark = max(n_with, key=n_with.__getitem__)
    if n_with[mark] < _MANY:
        return None
    n_marks = sum(text.count(mark) for text in texts)
    for written in _MARKS[mark]:
        if sum(text.count(written) for text in texts) >= _NEARLY_ALL * n_marks:
            return written
    return None


def _are_items(shared, separator):
    """Whether texts are items: beside commas numbers are decimals or thousands."""
    if separator.strip() != ",":
        return bool(shared)
    return bool(shared) and all(any(map(str.isalpha, item)) for item in shared)


def _order(listed: Iterable[list[str]], shared: set[str]) -> tuple[str, ...] | None:
    """The order in which texts list their items, None where there is none."""
    before = Counter(
        pair
        for items in listed
        for pair in combinations([item for item in items if item in shared], 2)
    )
    n_broken = sum(min(n, before[b, a]) for (a, b), n in [*before.items()] if a < b)
    if n_broken > _MAX_BROKEN * before.total():
        return None
    # By names first, so that the order is one for the same texts in another order.
    graph: dict[str, set[str]] = {item: set() for item in sorted(shared)}
    for (a, b), n in sorted(before.items()):
        if n > before[b, a]:
            graph[b].add(a)
    sorter = TopologicalSorter({item: sorted(own) for item, own in graph.items()})
    try:
        sorter.prepare()
    except CycleError:
        return None
    order: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return tuple(order)
