"""Text files in which somebody declares something: schemas, domains, recodings."""

import os
from pathlib import Path

from coclust_synth.exceptions import CoclustSynthError, SchemaError


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
