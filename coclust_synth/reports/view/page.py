"""A grid as one page that needs nothing else: no network, and no library."""

from base64 import b64encode
from importlib import resources
from typing import Any

from coclust_synth._version import __version__
from coclust_synth.reports.view.grid import ViewedGrid
from coclust_synth.reports.view.payload import fitted_payload
from coclust_synth.reports.view.still import Names, coarse_table, descriptions, picture

#: What a page may have in all, and what is kept for saying that not all has room.
MAX_BYTES = 3_500_000
_MARGIN = 1_000

#: The script, whose files share one scope: what comes first is used by what follows.
_SCRIPT = (
    "colours.js",
    "hierarchy.js",
    "decode.js",
    "measures.js",
    "picture.js",
    "texts.js",
    "panel.js",
    "skeleton.js",
    "app.js",
    "controls.js",
    "files.js",
)


def grid_page(grid: ViewedGrid, names: Names) -> str:
    """The page of a grid, in HTML.

    Parameters
    ----------
    grid : ViewedGrid
    names : mapping of str to mapping of str to str
        Names given to nodes, by dimension and name of the node; see `read_names`.

    Returns
    -------
    str
        One file of at most `MAX_BYTES`; of what has no room, less is shown: see
        `fitted_payload`. The same grid and names give the same text.
    """
    # Here, not above: no other command has to wait for it to load.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("coclust_synth.reports.view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("view.html.j2")
    content = _content(grid, names)
    around = len(_encoded(template.render(**content, data="")))
    # Four letters of base64 stand for three bytes.
    room = (MAX_BYTES - _MARGIN - around) * 3 // 4
    data, fitted = fitted_payload(grid, names, room)
    content["n_finer"] = len(grid.merges) - len(fitted.merges)
    page = template.render(**content, data=b64encode(data).decode())
    return _encoded(page).decode()


def _encoded(text):
    """As UTF-8, a question mark for bytes of reports that were not."""
    return text.encode("utf-8", "replace")


def script() -> str:
    """The script of the view, without what starts it."""
    return "\n".join(map(template_text, _SCRIPT))


def template_text(name: str) -> str:
    """A file beside the templates."""
    folder = resources.files("coclust_synth.reports.view") / "templates"
    return (folder / name).read_text(encoding="utf-8")


def _content(grid: ViewedGrid, names: Names) -> dict[str, Any]:
    best = grid.coarser(grid.best_step)
    return {
        "version": __version__,
        "name": grid.name,
        "grid": grid,
        "best": best,
        "main": [grid.dimensions[axis].name for axis in grid.main],
        "gain": max(0.0, 1.0 - grid.cost / grid.null_cost) if grid.null_cost else 0.0,
        "picture": picture(grid),
        "coarse": coarse_table(grid, names),
        "described": descriptions(grid, names),
        "script": script(),
        "start": template_text("start.js"),
        "n_finer": 0,
    }
