"""What becomes of the values of one column."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import ROUND_HALF_UP
from functools import cached_property
from typing import Any

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.reading.texts.layouts import is_date_layout, is_number_layout
from coclust_synth.tables.reading.texts.text import MISSING_MARKS
from coclust_synth.tables.recoding.values import (
    Reading,
    as_json,
    exact,
    is_date,
    is_day,
    is_in,
    is_number,
    is_of_dates,
    is_span,
    is_value,
    is_whole,
    overlap,
)
from coclust_synth.tables.values.columns import examples

NUMBERS = ("bottom", "top", "round")
# A label of these would be a missing value where the table is read again; "missing" is
# how releases write one.
_READ_AS_MISSING = MISSING_MARKS | {"missing"}


@dataclass(frozen=True, kw_only=True)
class ColumnRecoding:
    """What becomes of the values of one column.

    Parameters
    ----------
    column : str
    suppress : sequence of str, number or date
        Values that are left out, before anything else is done: as the table has them.
    bottom, top : number or date, optional
        What is beyond becomes it, rounded numbers too.
    round : number, optional
        Numbers become the nearest multiple of it, halves away from zero; above 0.
    prefix : int, optional
        Texts are cut to so many characters, at least 1.
    groups : mapping of str to sequence, optional
        Values, or ranges ``{"from": low, "to": high}`` with one end or both, that
        become the key. No value is in two, and no key reads as a missing value.
    rest : str, optional
        What values in no group become; by default they stay. Missing ones do.
    format : str, optional
        How texts that are numbers or dates are laid out, such as ``comma``, ``# %`` or
        ``%d.%m.%Y``: see `DomainColumn`. By default ``1234.5`` and ``2020-12-31``.

    Raises
    ------
    SchemaError
        If nothing is to be done, parts do not go together, or groups overlap.
    """

    column: str
    suppress: Sequence = ()
    bottom: Any = None
    top: Any = None
    round: Any = None
    prefix: int | None = None
    groups: Mapping[str, Sequence] | None = None
    rest: str | None = None
    format: str | None = None

    def __post_init__(self) -> None:
        _check(self)

    @cached_property
    def reading(self) -> Reading:
        """How texts of the column are read, and written."""
        return Reading.of(self.format)

    @property
    def is_numeric(self) -> bool:
        """Whether numbers and dates stay what they are."""
        return self.prefix is None and self.groups is None

    def leaves_out(self, text: str) -> bool:
        """Whether a text is a value that `suppress` names."""
        return any(is_in(text, value, self.reading) for value in self.suppress)

    def recode(self, text: str, strict: bool = True) -> str | None:
        """What becomes of one cell.

        Parameters
        ----------
        text : str
            Not missing, without blanks around it.
        strict : bool, default=True
            Whether to refuse what is no number, or no date, where one is expected; else
            it stays.

        Returns
        -------
        str or None
            None if it is left out.

        Raises
        ------
        SchemaError
        """
        reading = self.reading
        if self.leaves_out(text):
            return None
        if self.prefix is not None:
            return text[: self.prefix]
        if self.groups is not None:
            for label, values in self.groups.items():
                if any(is_in(text, value, reading) for value in values):
                    return label
            return text if self.rest is None else self.rest
        if any(getattr(self, name) is not None for name in NUMBERS):
            return self._blurred(text, strict)
        return text

    def _blurred(self, text, strict):
        """The text of a number, or a date, within its bounds and rounded."""
        bounds = [b for b in (self.bottom, self.top) if b is not None]
        of_dates = any(isinstance(bound, datetime.date) for bound in bounds)
        read = self.reading.bare_day if of_dates else self.reading.number
        value = read(text)
        if value is None:
            if not strict:
                return text
            what = "dates such as 2020-12-31" if of_dates else "numbers"
            if self.format is not None:
                what += f", laid out as {self.format!r},"
            raise SchemaError(
                f"Expected {what} in column {self.column!r}, as its recoding has a "
                f"top or bottom code, or rounds. Received {text!r}. Suppress that "
                "value, or use groups."
            )
        blurred = self._bounded(value)
        if self.round is not None:
            step = exact(self.round)
            blurred = (blurred / step).to_integral_value(ROUND_HALF_UP) * step
            blurred = self._bounded(blurred)
        return text if blurred == value else self.reading.write(blurred)

    def _bounded(self, value):
        if self.bottom is not None:
            value = max(value, exact(self.bottom))
        return value if self.top is None else min(value, exact(self.top))

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form: what was said, dates as texts."""
        told = {own.name: getattr(self, own.name) for own in fields(self)}
        return {
            name: as_json(v) for name, v in told.items() if v is not None and v != ()
        }


def _check(own: ColumnRecoding) -> None:
    """Refuse what says nothing, or things that do not go together."""

    def fail(expected: str, received: Any, todo: str) -> None:
        raise SchemaError(
            f"Recoding of {own.column!r}: expected {expected}. Received {received!r}. "
            f"{todo}"
        )

    told = [f.name for f in fields(own) if getattr(own, f.name) not in (None, ())][1:]
    if not {*told} - {"format"}:
        fail("something to do", "the name alone", "Add for instance round = 5.")
    ways = [name for name in told if name in ("prefix", "groups")]
    if len(ways) + any(name in told for name in NUMBERS) > 1:
        todo = "Leave all but one of these ways out."
        fail("bounds and rounding, or groups, or a prefix", told, todo)
    if not isinstance(own.suppress, list | tuple) or not all(
        map(is_value, own.suppress)
    ):
        fail("suppress to be a list of values", own.suppress, "Put them in a list.")
    if own.rest is not None and (own.groups is None or not isinstance(own.rest, str)):
        fail("rest to be a label beside groups", own.rest, "Add groups, or remove it.")
    if own.prefix is not None and not (is_whole(own.prefix) and own.prefix >= 1):
        fail("prefix to be a number of characters, from 1", own.prefix, "Correct it.")
    if own.round is not None and not (is_number(own.round) and own.round > 0):
        fail("round to be a number above 0", own.round, "Correct it.")
    bounds = [bound for bound in (own.bottom, own.top) if bound is not None]
    if not all(is_number(bound) or is_day(bound) for bound in bounds):
        fail(
            "bottom and top to be numbers or dates without quotes",
            bounds,
            "Correct them.",
        )
    if len({*map(is_date, bounds)} | ({False} if own.round is not None else set())) > 1:
        fail("numbers or dates, not both", bounds, "Correct them; dates do not round.")
    if len(bounds) == 2 and bounds[0] > bounds[1]:
        fail("bottom to be at most top", bounds, "Exchange them.")
    if own.format is not None:
        _check_format(own, [*map(is_date, bounds)], fail)
    if own.groups is not None:
        _check_groups(own.groups, fail)
        for label in (*own.groups, *([] if own.rest is None else [own.rest])):
            if not isinstance(label, str) or label.strip() in _READ_AS_MISSING:
                what = "labels of groups and of rest that do not read as missing"
                fail(what, label, "Choose another word, or suppress its values.")


def _check_format(own, dated, fail):
    layout = own.format
    if not isinstance(layout, str) or not (
        is_number_layout(layout)
        or any(is_date_layout(layout, timed=timed) for timed in (False, True))
    ):
        todo = "Write for instance 'comma', '# %' or '%d.%m.%Y'."
        fail("format to be a layout of numbers or dates", layout, todo)
    if dated and (is_of_dates(layout) != dated[0]):
        fail("a format of what bottom and top are", layout, "Correct one of them.")


def _check_groups(groups: Any, fail: Callable) -> None:
    if not isinstance(groups, Mapping) or not groups:
        fail("groups by their labels", groups, 'Write { label = ["a", "b"] }.')
    spans: list[tuple] = []
    for label, values in groups.items():
        is_list = isinstance(values, list | tuple) and len(values) > 0
        if not is_list or not all(is_value(v) or is_span(v) for v in values):
            what = "values or ranges { from = 1, to = 9 }"
            fail(f"a list of {what} in group {label!r}", values, "Correct it.")
        spans += [(value, label) for value in values]
    for i, (one, label) in enumerate(spans):
        for other, other_label in spans[:i]:
            if label != other_label and overlap(one, other):
                expected = (
                    f"groups without a value in common, {label!r}, {other_label!r}"
                )
                fail(expected, examples([str(one), str(other)]), "Part them.")
