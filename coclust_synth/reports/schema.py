"""A schema for people to read."""

from coclust_synth.reports.console import print_table


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
        title=f"{source}: {len(schema.columns)} columns",
    )
    for name in schema.undecided:
        or_person = ""
        if schema[name].role == "identifier":
            or_person = f", or --person-id {name} if it tells whose each row is"
        print(
            f"{name}: {schema[name].reason}. Say --drop {name} or --keep {name}"
            f"{or_person}."
        )


def print_pooled(pooled):
    """Print a line for each column with values that few individuals hold.

    Parameters
    ----------
    pooled : sequence of dict
        With the entries of a `Pooled`.
    """
    for one in pooled:
        print(
            f"{one['column']}: {one['values']:,} rare values, of {one['rows']:,} rows, "
            "are released as others."
        )


def _short(category):
    text = " ".join(str(category).split())
    return text if len(text) <= 40 else f"{text[:37]}..."


def _domain(column):
    if column.categories is not None:
        shown = ", ".join(_short(category) for category in column.categories[:4])
        more = len(column.categories) - 4
        return f"{shown}, ... ({more} more)" if more > 0 else shown
    if column.bounds is not None:
        step = "" if column.step in (None, 1) else f" by {column.step}"
        return f"{column.bounds[0]} to {column.bounds[1]}{step}"
    return "-"
