"""Tables of databases, by the address of the base and the name of the table."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from coclust_synth.exceptions import ParameterError, TableError

if TYPE_CHECKING:
    import ibis


def is_base(table: object) -> bool:
    """Whether a table is given as a base with the name of one of its tables."""
    return isinstance(table, str | os.PathLike) and "::" in str(table)


def split_address(table: object) -> tuple[str, str]:
    """The base, and the name of the table in it."""
    # A path has had its double slashes made single.
    address = re.sub(r"^(\w{2,}):/(?!/)", r"\1://", str(table))
    base, _, name = address.rpartition("::")
    return base, name


def shown_table(table: object) -> str:
    """A table as it may be told: an address without its password and settings."""
    if not is_base(table):
        return str(table)
    base, name = split_address(table)
    return f"{_shown_base(base)}::{name}"


def _shown_base(base):
    # Up to the last sign, and before settings are looked for: a password may hold any.
    return re.sub(r"(?<=://)([^/@:]*):.*@", r"\1@", base).partition("?")[0]


def connect_base(base: str) -> ibis.BaseBackend:
    """What asks a base that ibis knows, by its address.

    Raises
    ------
    ParameterError
        If ibis knows no such base, what it asks it by is not installed, or the password
        is not written as in an address.
    TableError
        If the base does not answer, or lets nobody in. No message holds the password.
    """
    import ibis

    _check_password(base)
    shown, kind = _shown_base(base), base.partition("://")[0]
    try:
        return ibis.connect(base)
    except ImportError as error:
        raise ParameterError(
            f"Expected what {kind!r} is asked by. Received an environment without "
            f"{error.name!r}. Install it: pip install {_extra(kind)!r}."
        ) from None
    except ValueError:
        raise ParameterError(
            "Expected the address of a base that ibis knows, such as "
            f"postgres://HOST/BASE::TABLE. Received {shown!r}. Correct it, or write "
            "the table to a folder of Parquet files."
        ) from None
    except Exception as error:  # each base has errors of its own
        (reason, *_) = _without_password(str(error), base).strip().splitlines() or [""]
        raise TableError(
            f"Expected a base that answers in {shown!r}. Received: "
            f"{reason.rstrip('.')}. Check host, port, user and password."
        ) from None


def _extra(kind):
    if kind in ("postgres", "postgresql"):
        return "coclust-synth[postgres]"
    return f"ibis-framework[{kind}]"


def _check_password(base):
    """Refuse what would be read as host and port, and told by the base's own errors."""
    asked = re.search(r"://[^/@:]*:(.*)@", base)
    if asked is not None and set("/?#") & set(asked[1]):
        raise ParameterError(
            "Expected the signs / ? # of a password as %2F %3F %23. Received one as it "
            f"is, in the address of {_shown_base(base)!r}. Write it so, or give the "
            "password by PGPASSWORD or a file of the base."
        )


def _without_password(text, base):
    secret = urlsplit(base).password
    for own in filter(None, (secret, unquote(secret or ""))):
        text = text.replace(own, "***")
    return text


def named_table(connection: ibis.BaseBackend, name: str) -> ibis.Table:
    """A table of a base by its name, or by those of its schema and its own.

    A table whose own name has a dot comes first.

    Raises
    ------
    ibis.common.exceptions.TableNotFound
    """
    from ibis.common.exceptions import TableNotFound

    try:
        return connection.table(name)
    except TableNotFound:
        schema, dot, own = name.partition(".")
        if not dot:
            raise
        return connection.table(own, database=schema)


def readable(table: ibis.Table) -> ibis.Table:
    """A table whose cells can be handed over.

    What only its base knows (uuid, json, addresses, ranges, points) is read as the base
    writes it; a decimal number of no fixed precision, which may be NaN, as a float.
    """
    read = {}
    for name, kind in table.schema().items():
        if kind.is_decimal() and kind.precision is None:
            read[name] = table[name].cast("float64")
        elif _is_of_base(kind):
            read[name] = table[name].cast("string")
    return table.mutate(**read) if read else table


def _is_of_base(kind):
    is_text = kind.is_uuid() or kind.is_json() or kind.is_inet() or kind.is_macaddr()
    return is_text or kind.is_unknown() or kind.is_geospatial()
