"""Templates of a page, and the sections that it is put together from."""

from functools import cache
from typing import Any, NamedTuple


class Section(NamedTuple):
    """A part of a page under a heading of its own.

    Attributes
    ----------
    name : str
        Its id in the page: small letters.
    title : str
    content : str
        HTML that is put in the page as it is.
    """

    name: str
    title: str
    content: str


def rendered(template: str, **content: Any) -> str:
    """The text that a template gives; what is put in is escaped."""
    return _environment().get_template(template).render(**content)


@cache
def _environment():
    # Here, not above: no other command has to wait for it to load.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("coclust_synth.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
