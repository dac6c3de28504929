"""Values of a schema in JSON and in TOML.

What JSON does not have, such as a date or an interval, is written as one type with
its text: ``{"date": "2024-12-31"}``.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ModelFileError, SchemaError

_TAGGED = {
    "datetime": (datetime.datetime, lambda v: v.isoformat(), pd.Timestamp),
    "date": (datetime.date, str, datetime.date.fromisoformat),
    "time": (datetime.time, str, datetime.time.fromisoformat),
    "decimal": (Decimal, str, lambda text: _quiet(Decimal(text))),
}
VALUE_TYPES = (str, bool, int, float, pd.Interval, *(t[0] for t in _TAGGED.values()))

# Of values within each other in a file; ours have five.
_MAX_DEPTH = 100
_MAX_BITS = 1023  # of a whole number, as many as a float has

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def _quiet(number: Decimal) -> Decimal:
    if number.is_snan():
        raise ValueError("a signalling NaN, which cannot be compared")
    return number


def encode(value: Any) -> Any:
    """Turn a value into JSON types; `decode` gives it back."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, pd.Interval):
        ends = [encode(value.left), encode(value.right)]
        return {"interval": [*ends, value.closed]}
    for tag, (kind, write, _) in _TAGGED.items():
        if isinstance(value, kind):
            return {tag: write(value)}
    return value


def decode(value: Any, where: str) -> Any:
    """Turn JSON types back into a value; `where` begins the message of an error."""
    if not isinstance(value, dict):
        return value
    try:
        ((tag, content),) = value.items()
        if tag == "interval":
            left, right, closed = content
            return pd.Interval(decode(left, where), decode(right, where), closed)
        return _TAGGED[tag][2](content)
    except (KeyError, TypeError, ValueError, ArithmeticError):
        raise SchemaError(
            f"{where}: expected a value, or one of {', '.join(_TAGGED)}, interval "
            f"with its content. Received {value!r}. Correct it in the schema."
        ) from None


def parse_json(text: str | bytes) -> Any:
    """The content of a JSON text.

    Raises
    ------
    ValueError
        If it is none, or one that no program of good will writes; see `parse_toml`.
    """
    return _parse(json.loads, text)


def read_json(path: str | os.PathLike, what: str, advice: str) -> Any:
    """The content of a JSON file that this package wrote.

    Parameters
    ----------
    path : path
    what : str
        What it holds, with its article.
    advice : str
        What to do if there is no such file.

    Raises
    ------
    ModelFileError
        If it cannot be read, or is truncated or no JSON.
    """
    where = f"Expected {what} in {str(path)!r}."
    try:
        return parse_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelFileError(
            f"{where} Received: {error.strerror or error}. {advice}"
        ) from None
    except ValueError as error:  # of JSON and of UTF-8
        raise ModelFileError(
            f"{where} Received a file that is truncated, or no JSON ({error}). "
            "Fetch it again."
        ) from None


def parse_toml(text: str, what: str) -> dict:
    """The content of a TOML text; `what` names it in the message of an error.

    Raises
    ------
    SchemaError
        If it is none, has values within values by the hundred, or whole numbers of
        hundreds of digits.
    """
    try:
        return _parse(tomllib.loads, text)
    except ValueError as error:
        raise SchemaError(
            f"Expected {what} to be TOML. Received text that is not: {error}. "
            "Correct that line."
        ) from None


def _parse(loads: Callable, text: str | bytes) -> Any:
    """Content that can be shown in a message, compared and turned into floats."""
    too_deep = f"values within each other, more than {_MAX_DEPTH} deep"
    try:
        content = loads(text)
    except RecursionError:
        raise ValueError(too_deep) from None
    layer = [content]
    for _ in range(_MAX_DEPTH):
        for value in layer:
            if isinstance(value, int) and value.bit_length() > _MAX_BITS:
                raise ValueError("a whole number of hundreds of digits")
        layer = [inner for value in layer for inner in _values_in(value)]
        if not layer:
            return content
    raise ValueError(too_deep)


def _values_in(value: Any) -> Iterable:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def check_fields(content: Mapping, known: tuple[str, ...], where: str) -> None:
    """Refuse fields that do not exist.

    Raises
    ------
    SchemaError
    """
    unknown = [key for key in content if key not in known]
    if unknown:
        raise SchemaError(
            f"{where}: expected the fields {', '.join(known)}. "
            f"Received {', '.join(map(repr, unknown))}. Correct or remove it."
        )


def check_column_fields(content: Mapping, known: tuple[str, ...]) -> str:
    """Refuse a [[column]] without a name, or with fields that do not exist.

    Returns
    -------
    str
        Which column it is, as errors say it.

    Raises
    ------
    SchemaError
    """
    where = f"Column {content.get('name', '')!r}"
    check_fields(content, known, where)
    if "name" not in content:
        raise SchemaError(
            f"Expected every [[column]] to have a name. Received {content!r}. Add "
            "`name`."
        )
    return where


def to_toml(value: Any) -> str:
    """A JSON value as TOML, lists longer than a line on several."""
    if isinstance(value, dict):
        items = [f"{_toml_key(k)} = {to_toml(v)}" for k, v in value.items()]
        return f"{{ {', '.join(items)} }}"
    if isinstance(value, list):
        items = [to_toml(item) for item in value]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= 76 else "[\n  " + ",\n  ".join(items) + ",\n]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    # JSON's texts are TOML's, but for the one control character JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else to_toml(key)
