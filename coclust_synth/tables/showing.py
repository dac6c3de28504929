"""How results read in a console and in a notebook.

A result is told by a line of counts and names, and in a notebook by a small table of
the same: never by its arrays, nor by values of rows that it holds but does not publish.
"""

import html
from collections.abc import Mapping, Sequence
from typing import Any

_LONGEST = 60  # characters of a fact


def counted(n: int, name: str) -> str:
    """So many things of a name.

    Examples
    --------
    >>> counted(1, "column"), counted(1200, "row")
    ('1 column', '1,200 rows')
    """
    return f"{n:,} {name}{'s' * (n != 1)}"


class Shown:
    """A result that reads as one line, and as a small table in a notebook.

    Examples
    --------
    >>> class Sizes(Shown):
    ...     def _told(self):
    ...         return {"rows": 1200, "loss": 0.12344}
    >>> Sizes()
    <Sizes: rows 1,200, loss 0.1234>
    >>> Sizes()._repr_html_()[:44]
    '<table><caption>Sizes</caption><tr><th>rows<'
    """

    def _told(self) -> Mapping[str, Any]:
        """Facts by their names: numbers, texts, or a few of them; None is left out."""
        raise NotImplementedError

    def _listed(self) -> Sequence[Mapping[str, Any]]:
        """Rows of a second table of a notebook; none by default."""
        return ()

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {text}" for name, text in self._facts())
        return f"<{type(self).__name__}: {facts}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>"
            for name, text in self._facts()
        )
        facts = f"<table><caption>{type(self).__name__}</caption>{rows}</table>"
        listed = self._listed()
        if not listed:
            return facts
        names = "".join(f"<th>{html.escape(str(name))}</th>" for name in listed[0])
        lines = "".join(
            "<tr>"
            + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in line.values())
            + "</tr>"
            for line in listed
        )
        return f"{facts}<table><tr>{names}</tr>{lines}</table>"

    def _facts(self):
        for name, value in self._told().items():
            if value is not None:
                yield name, _short(_text(value))


def _text(value):
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, tuple | list):
        return " ".join(map(str, value))
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.4g}"


def _short(text):
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ..."
