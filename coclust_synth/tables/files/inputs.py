"""Declarations as texts, schemas and the like, and compressed files up to a size.

Compressed files can hold a thousand times what they weigh. At most 2 GiB are read of
what was compressed; the environment variable ``COCLUST_SYNTH_MAX_GIB`` sets another
limit.
"""

import errno
import gzip
import os
from pathlib import Path

from coclust_synth.exceptions import CoclustSynthError, ParameterError, SchemaError


def read_declared(
    path: str | os.PathLike, what: str, error: type[CoclustSynthError] = SchemaError
) -> str:
    """The text of such a file, in UTF-8, with a byte order mark or without.

    Parameters
    ----------
    path : path
    what : str
        What is declared, with its article: ``"a schema"``.
    error : type, default=SchemaError
        Raised where the file cannot be read, or is no text in UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as failure:
        raise error(
            f"Expected {what} in the file {str(path)!r}. Received: "
            f"{getattr(failure, 'strerror', None) or failure}. Check the path."
        ) from None


VARIABLE = "COCLUST_SYNTH_MAX_GIB"

_DEFAULT_GIB = 2
_BLOCK = 2**20


def max_size() -> int:
    """Bytes that a compressed file may hold.

    Raises
    ------
    ParameterError
        If the environment variable is not a positive number.
    """
    text = os.environ.get(VARIABLE, str(_DEFAULT_GIB))
    try:
        size = int(float(text) * 2**30)
    except (ValueError, OverflowError):
        size = 0
    if size < 1:
        raise ParameterError(
            f"Expected {VARIABLE} to be a number of gibibytes above 0. Received "
            f"{text!r}. Give for instance 8, or leave it unset."
        )
    return size


def read_gzip(path: str | os.PathLike) -> bytes:
    """The content of a file that gzip compressed.

    Raises
    ------
    OSError, EOFError, zlib.error
        If it cannot be read, is no such file, or holds more than `max_size`; it is
        then not read on.
    """
    left, blocks = max_size(), []
    with gzip.open(path) as file:
        while block := file.read(_BLOCK):
            left -= len(block)
            if left < 0:
                raise too_large()
            blocks.append(block)
    return b"".join(blocks)


def too_large() -> OSError:
    """The error of a file that holds more than `max_size`."""
    return OSError(
        errno.EFBIG,
        f"more than {max_size() / 2**30:.3g} GiB once decompressed, a limit that the "
        f"environment variable {VARIABLE} raises",
    )
