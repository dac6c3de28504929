"""The terminal: progress while a search runs, tables when it has ended."""

from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table


@contextmanager
def search_progress(n_iterations, *, enabled=True):
    """A progress bar with cost, clusters and time.

    Yields
    ------
    callable
        To be given to a search as its callback.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TextColumn("cost {task.fields[cost]}"),
        TextColumn("clusters {task.fields[clusters]}"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    shown = enabled and console.is_terminal
    with Progress(*columns, console=console, disable=not shown) as progress:
        task = progress.add_task(
            "co-clustering", total=n_iterations, cost="-", clusters="-"
        )

        def callback(iteration, best):
            progress.update(
                task,
                completed=iteration,
                cost=f"{best.cost:,.0f}",
                clusters=" x ".join(map(str, best.shape)),
            )

        yield callback


def print_facts(facts):
    """Print a mapping of names to values, one a line; what is None is left out."""
    width = max(map(len, facts))
    for name, value in facts.items():
        if value is not None:
            print(f"{name.replace('_', ' '):<{width}}  {_text(value)}")


def _text(value):
    if isinstance(value, dict):
        return ", ".join(f"{_text(value[key])} {key}" for key in value)
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.4f}"


def print_table(header, rows, *, title=None):
    """Print rows of texts under a header."""
    table = Table(*header, box=None, title=title, title_justify="left")
    for row in rows:
        table.add_row(*map(str, row))
    _console().print(table)


def print_tree(tree):
    """Print a `rich.tree.Tree`."""
    _console().print(tree)


def _console():
    # Values of a table are shown as they are: 11:100:2 is a time, [red] a text.
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 200  # a file or a pipe has no width to respect
    return console
