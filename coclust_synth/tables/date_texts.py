"""Dates that are written as texts: 2020-12-31, 31/12/2020, 2020-12-31T23:59:59Z."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coclust_synth.tables.dtypes import instants_dtype
from coclust_synth.tables.schema import UNITS, Column

_ISO_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:(?P<sep>[T ])[0-9]{2}:[0-9]{2}(?P<second>:[0-9]{2})?"
    r"(?P<fraction>\.[0-9]{1,9})?(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_SLASH_DATE = re.compile(r"[0-9]{2}/[0-9]{2}/[0-9]{4}")
_ISO_LAYOUT = re.compile(
    r"%Y-%m-%d(?:(?P<sep>[T ])%H:%M(?P<second>:%S)?(?P<fraction>\.%f)?"
    r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


class Reading(NamedTuple):
    """What texts say: canonical values, and the fields of their column."""

    values: np.ndarray
    fields: dict[str, Any]


def read_dates(texts: list[str], layout: str | None) -> Reading | None:
    """Read texts as dates, all of them or none.

    Parameters
    ----------
    texts : list of str
        Different texts, none of which stands for a missing value; at least one.
    layout : str or None
        A strftime pattern. None: it is found out, where only one fits.

    Returns
    -------
    Reading or None
        None: these are no dates.
    """
    if layout is None or _ISO_LAYOUT.fullmatch(layout):
        reading = _read_iso_dates(texts)
        if reading is not None or layout is not None:
            return reading
    layouts = [layout] if layout else ["%d/%m/%Y", "%m/%d/%Y"]
    if layout is None and not all(map(_SLASH_DATE.fullmatch, texts)):
        return None
    readings = []
    for candidate in layouts:
        try:
            instants = pd.to_datetime(pd.Series(texts, dtype=object), format=candidate)
        except ValueError:
            continue
        fields = {"format": candidate}
        readings.append(_dated(instants.to_numpy().astype("M8[us]"), None, fields))
    # 01/02/2024 alone may be two different days: left as a text.
    return readings[0] if len(readings) == 1 else None


def write_dates(values: np.ndarray, column: Column) -> list[str]:
    """Write dates in the layout of their column; undoes `read_dates`.

    Parameters
    ----------
    values : ndarray of shape (n,), int64
        As `to_values` gives them.
    column : Column
        Its complete description.
    """
    layout = column.format or _default_layout(column)
    iso = _ISO_LAYOUT.fullmatch(layout)
    instants = values.astype(f"M8[{column.unit}]")
    if iso is None:
        # Seconds reach every year; strftime has no finer field than %f.
        unit = "s" if column.unit in ("D", "s") else "us"
        return pd.Series(instants.astype(f"M8[{unit}]")).dt.strftime(layout).tolist()
    if iso["sep"] is None:
        return np.datetime_as_string(instants, unit="D").tolist()
    unit = "m" if not iso["second"] else "s"
    if iso["fraction"]:
        unit = column.unit if column.unit in ("ms", "us", "ns") else "ms"
    zone = iso["zone"] or ""
    local = instants.astype(f"M8[{unit}]") + _offset(iso["zone"])
    texts = np.datetime_as_string(local, unit=unit, casting="unsafe").tolist()
    return [text.replace("T", iso["sep"]) + zone for text in texts]


def coarsest_unit(instants: np.ndarray) -> str:
    """Coarsest unit in which every one of some datetime64 is whole."""
    return next(u for u in UNITS if (instants.astype(f"M8[{u}]") == instants).all())


def _read_iso_dates(texts: list[str]) -> Reading | None:
    matches = [_ISO_DATE.fullmatch(text) for text in texts]
    if not all(matches):
        return None
    layouts = {(m["sep"], m["second"] is None, m["zone"]) for m in matches}
    if len(layouts) > 1:
        return None
    ((sep, no_second, zone),) = layouts
    digits = max(len(m["fraction"] or ".") - 1 for m in matches)
    if digits and no_second:
        return None
    bare = [text.removesuffix(zone or "") for text in texts]
    try:
        instants = np.array(bare, dtype="M8[ns]" if digits > 6 else "M8[us]")
    except ValueError:
        return None
    if not sep:
        return _dated(instants, None, {"format": "%Y-%m-%d"})
    layout = f"%Y-%m-%d{sep}%H:%M" + ("" if no_second else ":%S")
    layout += (".%f" if digits else "") + (zone or "")
    name = None if zone is None else "UTC" if zone == "Z" else f"UTC{zone}"
    return _dated(instants - _offset(zone), name, {"format": layout})


def _dated(instants: np.ndarray, zone: str | None, fields: dict) -> Reading:
    unit = np.datetime_data(instants.dtype)[0]
    exact = coarsest_unit(instants)
    values = instants.astype(f"M8[{exact}]").astype(np.int64)
    return Reading(
        values, fields | {"unit": exact, "dtype": instants_dtype(unit, zone)}
    )


def _offset(zone: str | None) -> np.timedelta64:
    if zone in (None, "Z"):
        return np.timedelta64(0, "m")
    minutes = int(zone[1:3]) * 60 + int(zone[4:])
    return np.timedelta64(-minutes if zone[0] == "-" else minutes, "m")


def _default_layout(column: Column) -> str:
    zoned = "UTC" in column.dtype or "," in column.dtype
    if column.unit == "D" and not zoned:
        return "%Y-%m-%d"
    fraction = "" if column.unit in ("D", "s") else ".%f"
    return f"%Y-%m-%dT%H:%M:%S{fraction}" + ("Z" if zoned else "")
