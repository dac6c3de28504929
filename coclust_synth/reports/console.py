"""The terminal: progress while a search runs, then facts, tables and schemas."""

import json
import re
import shlex
import sys
from collections import Counter
from contextlib import contextmanager
from functools import partial

from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.reading.texts.identifiers import OF_SEVERAL_ROWS, can_be_key
from coclust_synth.tables.rules.values.in_words import told_once
from coclust_synth.tables.showing import counted

# Pairs of columns whose values never meet are told one by one, up to so many.
_MAX_APART = 5
# Characters of such a rule: ranges of dates are long. `inspect` tells it whole.
_MAX_TOLD = 120
# Other rules of a kind, too.
_MAX_ALIKE = 20
# Of the rules of a kind that a table has, and of its columns with rare values, so many
# are listed at most: of hundreds of columns there are thousands.
_MAX_RULES, _MAX_POOLED = 100, 60
# Categories of which so many are rare may be those of a public list, as of towns.
_MANY_RARE = 100
# Of a plan: said in tables, and in a sentence.
_TOLD_APART = ("queries", "errors", "is_mostly_noise")
# Line ends of any kind, and what a terminal obeys instead of showing it.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@contextmanager
def search_progress(n_iterations, *, enabled=True):
    """A progress bar with cost, clusters and time.

    Yields
    ------
    callable
        To be given to a search as its callback.
    """
    with _progress(
        "co-clustering", n_iterations, enabled, cost="-", clusters="-"
    ) as update:

        def callback(iteration, best):
            update(
                completed=iteration,
                cost=f"{best.cost:,.0f}",
                clusters=" x ".join(map(str, best.shape)),
            )

        yield callback


@contextmanager
def step_progress(*, enabled=True):
    """A progress bar of steps that have names.

    Yields
    ------
    callable
        To be called with what comes next, its number, and how many there are.
    """
    with _progress("", None, enabled) as update:

        def callback(title, done, n):
            update(description=title, completed=done, total=n)

        yield callback


@contextmanager
def _progress(title, total, enabled, **fields):
    """A progress bar on a terminal, with some fields more; what updates it."""
    if not (enabled and sys.stderr.isatty()):
        yield lambda **_: None
        return
    # Rich takes long to import, and is of use on a terminal and for tables only.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        *(TextColumn(f"{name} {{task.fields[{name}]}}") for name in fields),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield partial(progress.update, progress.add_task(title, total=total, **fields))


def one_line(text):
    """A text whose line ends and other control characters are written out.

    Names of columns and values of a table can have some.

    Examples
    --------
    >>> print(one_line("a\\nb"), one_line("\\x1b[2J"))
    a\\nb \\x1b[2J
    """
    return _CONTROLS.sub(lambda c: c[0].encode("unicode_escape").decode(), text)


def print_facts(facts):
    """Print a mapping of names to values, one a line; what is None is left out."""
    named = [(one_line(n.replace("_", " ")), value) for n, value in facts.items()]
    width = max(len(name) for name, _ in named)
    for name, value in named:
        if value is not None:
            print(f"{name:<{width}}  {_text(value)}")


def _text(value):
    if isinstance(value, dict):
        return one_line(", ".join(f"{_text(value[key])} {key}" for key in value))
    if isinstance(value, bool | str):
        return one_line(str(value))
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.4f}"


def print_table(header, rows, *, title=None):
    """Print rows of texts under a header; what has no room goes on below, whole."""
    from rich.table import Column, Table

    columns = (Column(name, overflow="fold") for name in header)
    table = Table(*columns, box=None, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(one_line(str(cell)) for cell in row))
    _console().print(table)


def print_plan(plan):
    """Print what a private release would measure, and how exactly.

    Parameters
    ----------
    plan : ReleasePlan
    """
    whole = plan.to_dict()
    facts = {name: whole[name] for name in whole if name not in _TOLD_APART}
    print_facts(facts | {"delta": f"{plan.delta:g}"})
    queries = [
        (
            query.what,
            query.times,
            f"{query.share:.2%}",
            f"{query.scale:.4g}",
            "-" if query.n_values is None else f"{query.n_values:,}",
            query.mechanism,
        )
        for query in plan.queries
    ]
    header = ("query", "times", "share of each", "scale", "values", "noise")
    print_table(header, queries)
    errors = [(e.what, f"{e.cells:,}", f"{e.error:.4f}") for e in plan.errors]
    print_table(("margin", "cells", "expected total variation"), errors)


def print_schema(schema, *, source):
    """Print one line for each column, then what must be decided.

    Parameters
    ----------
    schema : Schema
        Complete.
    source : str
        Where the table came from.
    """
    rows = [
        (
            column.name,
            column.kind or "-",
            column.role,
            column.treatment,
            " ".join(repr(mark) for mark in column.missing or ()) or "-",
            _domain(column),
        )
        for column in schema.columns
    ]
    print_table(
        ("column", "kind", "role", "treatment", "missing", "domain"),
        rows,
        title=f"{source}: {counted(len(schema.columns), 'column')}",
    )
    for name in schema.undecided:
        own = shlex.quote(name)
        said = f"Say --drop {own} or --keep {own}{_or_else(schema[name], own)}."
        print(one_line(f"{name}: {schema[name].reason}. {said}"))


def _or_else(column, name):
    """What else can be done with an identifier: of persons, or of each row."""
    if column.role == "identifier" and OF_SEVERAL_ROWS in column.reason:
        return (
            f", or --person-id {name} if it tells whose each row is, or in "
            f"`synth` --key {name} if a person has several of it"
        )
    if can_be_key(column):
        return f", or in `synth` --key {name} to make it anew"
    return ""


def print_missing_codes(name, codes, layout=None):
    """Print a line on numbers of a column that may stand for a missing value, if any.

    Parameters
    ----------
    name : str
    codes : list of int
    layout : str, optional
        In which the table has them, if they are no plain ones.
    """
    told = "numbers that may stand for a missing value"
    _print_numbers(name, told, codes, layout, "If they do")


def print_far_numbers(name, numbers, layout=None):
    """Print a line on numbers of a column that are far from all others, if any.

    Parameters
    ----------
    name, layout
        As of `print_missing_codes`.
    numbers : list of int or float
    """
    _print_numbers(
        name, "numbers far from all others", numbers, layout, "If these are slips"
    )


def print_declared_code(name, code):
    """Print that a number is the mark of missing values in a domain that was read."""
    print(
        f"{one_line(name)}: {code} is declared as the mark of a missing value, and is "
        "released as one. If it is a number, declare a `high` that includes it."
    )


def print_clamped_numbers(name, numbers):
    """Print which numbers are beyond the bounds of a domain that was read, if any."""
    if numbers:
        print(
            f"{one_line(name)}: numbers far from all others, counted in the nearest "
            f"interval: {', '.join(map(str, numbers))}. If these are no slips, "
            "declare a `low` and a `high` that include them."
        )


def _print_numbers(name, told, numbers, layout, where):
    if numbers:
        said = f"suppress = {numbers}"
        if layout is not None:
            said += f" and format = {json.dumps(layout)}"
        told = f"{one_line(name)}: {told}: {', '.join(map(str, numbers))}"
        print(f"{told}. {where}, say {said} in a --recode file.")


def print_odd_cells(name, cells, kinds="numbers or dates"):
    """Print which cells keep a column from being one of numbers or dates, if any.

    Parameters
    ----------
    name : str
    cells : list of str or int
    kinds : str
        What the others are.
    """
    if cells:
        told = ", ".join(map(json.dumps, cells))  # as TOML has them
        print(
            f"{one_line(name)}: {kinds}, except for {told}. If these stand for a "
            f"missing value, say suppress = [{told}] in a --recode file."
        )


def print_codes(name):
    """Print that the numbers of a column may be codes.

    Parameters
    ----------
    name : str
    """
    told = (
        f"{one_line(name)}: numbers that may be codes, as there are gaps beside "
        "common ones"
    )
    option = f"--categorical {shlex.quote(name)}"
    print(
        f"{told}. If they are codes, say {option}: otherwise numbers in the gaps are "
        "drawn too."
    )


def print_told_codes(name):
    """Print that the numbers of a column are taken for codes.

    Parameters
    ----------
    name : str
    """
    told = f"{one_line(name)}: numbers that go with a text, taken for codes"
    print(f'{told}. If they are amounts, say kind = "integer" or "real" in a schema.')


def print_kept_mark(name, mark, among=None):
    """Print that a text which is a missing mark elsewhere is a value of a column.

    Parameters
    ----------
    name : str
    mark : str
    among : str, optional
        What it is a value of; by default another mark is missing.
    """
    another = "the column has another mark for missing ones"
    why = another if among is None else f"it stands among {among}"
    told = f"{one_line(name)}: {mark} is read as a value, as {why}"
    print(
        f"{told}. If it stands for a missing value, say missing = ['{mark}'] in a "
        "schema."
    )


def print_pooled(pooled, schema):
    """Print a line for each column with values that few individuals hold, but of many.

    Parameters
    ----------
    pooled : sequence of dict
        With the entries of a `Pooled`.
    schema : Schema
        Columns that it lacks are made of texts, and of numbers.
    """
    listed = {own.name for own in schema.columns if own.kind in LISTED_KINDS}
    for one in pooled[:_MAX_POOLED]:
        is_one = one["values"] == 1
        values, rows = counted(one["values"], "rare value"), counted(one["rows"], "row")
        told = f"{values}, of {rows}, "
        told += "is released as another" if is_one else "are released as others"
        if one["column"] not in listed:
            told += ", or described by a mean and a spread"
        elif one["values"] >= _MANY_RARE:
            told += (
                " (public = true in a schema releases them: say so of a public list)"
            )
        print(f"{one_line(one['column'])}: {told}.")
    if len(pooled) > _MAX_POOLED:
        more = counted(len(pooled) - _MAX_POOLED, "more column")
        print(
            f"Rare values of {more} are released as others (`synth --json` lists them)."
        )


def print_totals(names):
    """Print that totals of columns have fallen, which one individual carried, if any.

    Parameters
    ----------
    names : sequence of str
        See `carried_by_one`.
    """
    for name in names:
        print(
            f"{one_line(name)}: its total is lower in the release by more than a "
            "tenth, as one individual has more than a tenth of it."
        )


def print_audit(audit):
    """Print what an attack found of a fit on a part of the individuals.

    Parameters
    ----------
    audit : dict
        As `Audit.facts` gives it.
    """
    # Measures take long to import.
    from coclust_synth.evaluation.telling_apart.nearest_rows import ISOLATED

    learnt = f"{audit['share_learnt']:.0%} of the individuals, k = {audit['k']}"
    isolated = f"isolated rows (the {ISOLATED:.0%} farthest from all other real ones)"
    for name, of in (("membership", "all rows"), ("membership_isolated", isolated)):
        area = audit[name]
        print(
            f"Audit (fitted to {learnt}), whether a row was learnt from, {of}: AUC "
            f"{area['auc']:.3f} ({area['low']:.3f} to {area['high']:.3f}), .5 is best."
        )
    for name, of in (("along_k", "all rows"), ("isolated_along_k", "isolated rows")):
        along = ", ".join(f"{v:.3f} at {k}" for k, v in audit[name].items())
        print(f"Audit, {of} by k: {along}.")
    hidden = audit["hidden_from_k"]
    below = "at no k tried" if hidden is None else f"from k = {hidden} on"
    print(f"Audit, both are under .55 {below}.")
    if told_by := audit["told_by"]:
        print(
            f"Audit, without '{one_line(told_by['column'])}' all rows would have "
            f"{told_by['auc_without']:.3f}: no other column tells as much. A larger k "
            "tells less, as does the column left out (--drop) or coarser (--recode)."
        )


def print_kept(rules):
    """Print a line for each rule that rows keep, kind by kind; of many, one for most.

    Parameters
    ----------
    rules : sequence of dict
        As `Rule.to_dict` gives them.
    """
    rules = told_once(rules)
    for kind in dict.fromkeys(rule["kind"] for rule in rules):
        of_kind = [rule for rule in rules if rule["kind"] == kind]
        unbroken = [rule for rule in of_kind if not rule.get("drawn_broken")]
        listing = "inspect" if len(of_kind) <= _MAX_RULES else "inspect --json"
        for rule in of_kind:
            if broken := rule.get("drawn_broken"):
                but = f"(except in {broken:,} of the drawn rows)"
                print(f"Kept: {_told(rule)} {but}")
        if kind != "never" or len(of_kind) <= _MAX_APART:
            for rule in unbroken[:_MAX_ALIKE]:
                print(f"Kept: {_told(rule)}")
            if len(unbroken) > _MAX_ALIKE:
                more = len(unbroken) - _MAX_ALIKE
                print(f"Kept: {more:,} more like it (`{listing}` lists them)")
        elif unbroken:
            other = "other " if len(unbroken) < len(of_kind) else ""
            print(
                f"Kept: values that never meet, of {len(unbroken):,} {other}pairs of "
                f"columns (`{listing}` lists them)"
            )


def _told(rule):
    text = one_line(rule["rule"])
    is_long = rule["kind"] == "never" and len(text) > _MAX_TOLD
    return f"{text[: _MAX_TOLD - 3]}..." if is_long else text


def print_rules(rules, *, stated):
    """Print a line for each rule of a table, with how many respect it; of many, some.

    Of more than `_MAX_RULES` of a kind these are the first ones: a schema has them all.

    Parameters
    ----------
    rules : sequence of Rule
    stated : bool
        Whether a schema lists them; otherwise they were found.
    """
    if not rules:
        return
    told = told_once([own.to_dict() | {"broken": own.broken} for own in rules])
    n_of: Counter[str] = Counter()
    listed = []
    for rule in told:
        n_of[rule["kind"]] += 1
        if n_of[rule["kind"]] <= _MAX_RULES:
            listed.append(rule)
    rows = [
        (
            rule["rule"],
            f"{rule['rows']:,}",
            f"{rule['individuals']:,}",
            "holds nearly" if rule["broken"] is None else f"{rule['broken']:,}",
        )
        for rule in listed
    ]
    title = "Rules of the schema" if stated else "Rules found, which trees keep"
    print_table(("rule", "rows", "individuals", "broken by"), rows, title=title)
    for kind, n in n_of.items():
        if n > _MAX_RULES:
            more = f"{n - _MAX_RULES:,} more of the kind {kind!r}"
            print(f"... and {more} (a schema, -o, and `--json` list them).")


def _short(category):
    text = " ".join(str(category).split())
    if text and isinstance(category, str) and category != category.strip():
        text = repr(category)  # two categories may differ in this alone
    return text if len(text) <= 40 else f"{text[:37]}..."


def _domain(column):
    if column.categories is not None:
        shown = ", ".join(_short(category) for category in column.categories[:4])
        more = len(column.categories) - 4
        return f"{shown}, ... ({more} more)" if more > 0 else shown
    if column.bounds is not None and column.bounds[0] == column.bounds[1]:
        return str(column.bounds[0])
    if column.bounds is not None:
        step = "" if column.step in (None, 1) else f" by {column.step}"
        none = "" if column.no_date is None else f", or {column.no_date}"
        return f"{column.bounds[0]} to {column.bounds[1]}{step}{none}"
    return "-"


def print_tree(tree):
    """Print a `rich.tree.Tree`."""
    _console().print(tree)


def _console():
    from rich.console import Console

    # Values of a table are shown as they are: 11:100:2 is a time, [red] a text.
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 200  # a file or a pipe has no width to respect
    return console
