"""What is behind times: Z, UTC, +0200, and +02:00 of a place whose clocks change.

It may have a blank before it: so BigQuery writes UTC, Ruby and git an offset. Where all
of a column are one offset it stands in its layout as it is; of a place `%z` and `%:z`
do, and a blank before them, and the column has the zone's name.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator

import numpy as np
import pandas as pd

#: Patterns of what is behind a time: in a text, and in a layout.
IN_TEXTS = "Z| ?UTC| ?[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?"
IN_LAYOUTS = "Z| ?UTC| ?[+-][0-9]{2}(?::?[0-9]{2})?| ?%:?z"
# What stands for the offset of a named zone at an instant: +0200, +02:00.
_OFFSETS = ("%z", "%:z")
_OF_UTC = ("", "Z", "UTC")
# Of zones that say the same, the first of these: where most people live that have it.
_FIRST = (
    "Europe/Berlin",
    "Europe/London",
    "Europe/Athens",
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "Australia/Sydney",
)
# Instants of a first look.
_FEW = 100


def names_place(layout: str) -> bool:
    """Whether a layout has the offsets of a named zone."""
    return layout.endswith(_OFFSETS)


def offset_of(zone: str) -> np.timedelta64:
    """How far what is behind a time is ahead of UTC; nothing is not."""
    zone = zone.strip()
    if zone in _OF_UTC:
        return np.timedelta64(0, "m")
    # +00 has no minutes.
    minutes = int(zone[1:3]) * 60 + int(zone[3:].strip(":") or 0)
    return np.timedelta64(-minutes if zone[0] == "-" else minutes, "m")


def find_zone(
    instants: np.ndarray, zones: list[str], *, is_named: bool
) -> tuple[str, str | None] | None:
    """What is behind times, as a layout has it, and the name of their zone.

    Parameters
    ----------
    instants : ndarray of datetime64, shape (n,)
        UTC; at least one.
    zones : list of str
        What is behind each.
    is_named : bool
        Whether one offset is that of a named zone, too.

    Returns
    -------
    tuple, or None
        None where they are of several places, or are written in several ways.
    """
    different = set(zones)
    ways = {(zone.startswith(" "), ":" in zone) for zone in different}
    has_blank, has_colon = next(iter(ways))
    offset = " " * has_blank + _OFFSETS[has_colon]
    if len(different) == 1:
        (zone,) = different
        bare = zone.strip()
        if bare in _OF_UTC:
            return zone, "UTC" if zone else None
        minutes = bare[3:].strip(":") or "00"
        return offset if is_named else zone, f"UTC{bare[:3]}:{minutes}"
    are_full = all(len(zone.strip()) >= len("+0000") for zone in different)
    if len(ways) > 1 or not are_full:
        return None
    name = zone_of(instants, np.array([offset_of(zone) for zone in zones]))
    return None if name is None else (offset, name)


def write_offsets(offsets: np.ndarray, zone: str) -> list[str]:
    """Offsets from UTC as a layout has them.

    Parameters
    ----------
    offsets : ndarray of timedelta64[m], shape (n,)
    zone : str
        What of the layout is behind times: `%z`, `%:z`, or one of them behind a blank.
    """
    blank, colon = zone.partition("%")[0], ":" * (":" in zone)
    texts = []
    for minutes in offsets.astype(int).tolist():
        hours, rest = divmod(abs(minutes), 60)
        sign = "-" if minutes < 0 else "+"
        texts.append(f"{blank}{sign}{hours:02d}{colon}{rest:02d}")
    return texts


def zone_of(instants: np.ndarray, offsets: np.ndarray) -> str | None:
    """A time zone whose clocks are so far ahead at some instants.

    Parameters
    ----------
    instants : ndarray of datetime64, shape (n,)
        UTC; at least one.
    offsets : ndarray of timedelta64[m], shape (n,)

    Returns
    -------
    str or None
        None: there is no such zone.

    Examples
    --------
    >>> instants = np.array(["2024-01-01T12:00", "2024-07-01T12:00"], dtype="M8[us]")
    >>> zone_of(instants, np.array([60, 120], dtype="m8[m]"))
    'Europe/Berlin'
    """
    order = np.argsort(instants, kind="stable")
    few = order[np.linspace(0, len(order) - 1, min(len(order), _FEW)).astype(int)]
    looks = np.array([offsets.argmin(), offsets.argmax()]), few, order
    for name in _names():
        if all((ahead(instants[of], name) == offsets[of]).all() for of in looks):
            return name
    return None


def ahead(instants: np.ndarray, zone: str) -> np.ndarray:
    """How far the clocks of a zone are ahead of UTC, to the minute.

    Parameters
    ----------
    instants : ndarray of datetime64, shape (n,)
        UTC.
    zone : str

    Returns
    -------
    ndarray of timedelta64[m], shape (n,)
    """
    utc = pd.DatetimeIndex(instants)
    local = utc.tz_localize("UTC").tz_convert(zone).tz_localize(None)
    return (local - utc).to_numpy().astype("m8[m]")


def _names() -> Iterator[str]:
    """All zones that are of a place."""
    yield from _FIRST
    others = sorted(zoneinfo.available_timezones().difference(_FIRST))
    yield from (name for name in others if "/" in name and "Etc/" not in name)
