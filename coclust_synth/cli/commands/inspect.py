"""`inspect` and `domain`: what a table is like, and what it may hold, to be edited."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
import typer

from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.command import chosen_options, command
from coclust_synth.cli.names import LISTED, split_names
from coclust_synth.cli.people import warn_of_rows
from coclust_synth.cli.tables import (
    check_counted,
    check_output,
    declared_columns,
    read,
    recoding_of,
)
from coclust_synth.exceptions import ParameterError, SchemaError, TableError
from coclust_synth.generators.plain.fitting import default_k
from coclust_synth.generators.plain.persons.learning.from_table import (
    find_told_by_row_before,
)
from coclust_synth.generators.plain.persons.learning.rows_of_keys import (
    find_rows_together,
)
from coclust_synth.reports.console import (
    one_line,
    print_clamped_numbers,
    print_codes,
    print_declared_code,
    print_far_numbers,
    print_kept_mark,
    print_missing_codes,
    print_odd_cells,
    print_pooled,
    print_rules,
    print_schema,
    print_told_codes,
)
from coclust_synth.scale.engines import shown_table
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.domain import blank_domain
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.domain.text import FROM_DATA
from coclust_synth.tables.files import write_files
from coclust_synth.tables.parts.folded.folding import (
    Folding,
    described,
    find_foldings,
    fold,
    in_words,
    is_of_labels,
    untold_by,
)
from coclust_synth.tables.parts.no_dates import with_no_dates
from coclust_synth.tables.parts.number_codes import are_codes
from coclust_synth.tables.parts.rare.rare import DEFAULT_RARE
from coclust_synth.tables.parts.rare.released import ReleasedTable, release_values
from coclust_synth.tables.people.people import Persons, check_k
from coclust_synth.tables.reading.table import read_texts
from coclust_synth.tables.reading.texts.codes import (
    are_countries,
    far_numbers,
    missing_codes,
)
from coclust_synth.tables.reading.texts.odd_cells import odd_dates, odd_texts
from coclust_synth.tables.reading.texts.text import MISSING_MARKS
from coclust_synth.tables.rows import ColumnCounts, count_values
from coclust_synth.tables.rules.between_rows.order import find_order_of_rows
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.showing import counted
from coclust_synth.validation import check_integer

# Of persons in whose rows nothing is looked at.
_NOTHING_OF_ROWS = {"in_order_of": None, "together_by": None, "told_by_row_before": []}


@command
def inspect(
    table: options.AnyTable,
    columns: options.Columns,
    engine: options.Engine,
    rare: Annotated[
        int, typer.Option("--rare", min=1, help="As in `fit` and `synth`.")
    ] = DEFAULT_RARE,
    k: options.FitK = None,
    person_id: privacy_options.PersonId = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Save the schema as TOML, to edit and pass to --schema.",
        ),
    ] = None,
    json_: options.Json = False,
    force: options.Force = False,
):
    """Print the schema of a table: kinds, roles, missing marks, bounds.

    Columns that look like identifiers, names or free text are listed, with the reason.
    Other commands refuse them until you --drop or --keep them, or name one by
    --person-id. Also listed are columns with values that fewer individuals than --rare
    hold, which `fit` and `synth` release as others; numbers such as -9 and 999 that may
    stand for a missing value, that may be codes, or that are far from all others; and
    texts that prevent a column from being read as numbers or dates.

    Rules that hold between columns, for k individuals or more, are listed too: `fit`
    and `synth` find and keep them. A saved schema holds them, so that you can remove or
    add some. With --person-id, the column by which the rows of a person are ordered is
    named. The output has values of single rows (ends, numbers far from others, rare
    categories): it is as confidential as the table. Bounds are saved as comments,
    because bounds that a schema declares are released as they stand.

    A folder of Parquet files, or a table of a database, is counted in place; rules are
    then searched in 400,000 rows at most.

    Example: coclust-synth inspect people.csv -o schema.toml
    """
    if output is not None:
        check_output(output, force, inputs=(table, *columns.files), is_table=False)
    if engine.counts(table):
        known = _of_counts(engine.source(table), columns, person_id)
    else:
        known = _of_rows(table, columns, person_id)
    found, persons = known.schema, known.persons
    if k is not None:
        check_integer("k", k, minimum=1)
        check_k(k, known.n_rows, persons)
    # Undecided ones may be kept later; a column that is dropped takes its rules along.
    usable, pooled, rules = found.keep(*found.undecided).kept, (), ()
    spelt = ()
    of_persons = None if persons is None else _NOTHING_OF_ROWS
    if usable.columns:
        n_individuals = known.n_rows if persons is None else persons.n
        k = default_k(n_individuals) if k is None else k
        released, spelt = known.release(usable, min(rare, n_individuals), k)
        pooled = [of for of in released.pooled if of.column in found.kept.names]
        evidence = Evidence.of(released, persons)
        rules = rules_of(evidence, usable.rules, k).but_of(untold_by(spelt))
        if persons is not None:
            of_persons = _of_persons(evidence, rules, k, spelt)
        texts = [own for own in spelt if own.labels]
        labelled = texts if usable.rules is None else ()
        undescribed = [*found.undecided, *(own.column for own in labelled)]
        rules = rules.without_values(undescribed).all
        rules = [r for r in rules if not is_of_labels(r.relation, labelled)]
    stated = found.rules is not None
    found = replace(found, rules=tuple(rule.relation for rule in rules))
    if output is not None:
        found.save(output, force=force, declared=_with_bounds(columns.schema))
    if json_:
        content = found.without_values().to_dict()
        content["spelt"] = [*map(described, spelt)]
        content["rules"] = [rule.to_dict() | {"broken": rule.broken} for rule in rules]
        content |= of_persons or {}
        print(json.dumps(content, ensure_ascii=False))
        return
    print_schema(found.without_values(), source=shown_table(table))
    for column in found.keep(*found.undecided).kept.columns:
        print_odd_cells(column.name, odd_texts(column))
    stated_codes = split_names(columns.categorical, found.names)
    for column in found.kept.columns:
        is_said = columns.schema is not None or column.name in stated_codes
        _print_doubts(column, known, is_said)
    print_pooled([of._asdict() for of in pooled], found)
    for own in spelt:
        print(one_line(f"{own}: trees keep it."))
    print_rules(rules, stated=stated)
    if of_persons is not None:
        _print_persons(**of_persons)


def _of_persons(evidence, rules, k, spelt):
    """What rows of persons are in the order of, and what is told from row to row."""
    told = find_told_by_row_before(evidence, rules, k)
    return {
        "in_order_of": find_order_of_rows(evidence, rules.orders, k),
        "together_by": find_rows_together(evidence, rules, k),
        "told_by_row_before": [*in_words(told, spelt)],
    }


def _print_persons(in_order_of, together_by, told_by_row_before):
    if in_order_of is not None:
        print(f"The rows of a person are in the order of {in_order_of!r}.")
    if together_by is not None:
        print(f"Rows of a person that share {together_by!r} are drawn together.")
    for told in told_by_row_before:
        print(f"From row to row: {one_line(told)}")


def _with_bounds(path):
    """The columns whose bounds a schema file declares."""
    given = () if path is None else Schema.load(path).columns
    return {column.name for column in given if column.bounds is not None}


def _print_doubts(column, known, is_said):
    """What a column may be taken for, wrongly; what it is can be said by the user."""
    if column.kind in ("integer", "real"):
        counts = known.counts(column)
        odd = odd_dates(counts.values) if column.kind == "integer" else []
        print_odd_cells(column.name, odd, "dates")
        if odd:
            return
        name, layout = column.name, column.format
        print_missing_codes(name, missing_codes(counts.values), layout)
        print_far_numbers(name, far_numbers(counts.values, counts.counts), layout)
        if column.step is not None and are_codes(counts, column.step):
            print_codes(column.name)
    elif column.kind == "categorical" and MISSING_MARKS & {*column.categories}:
        for mark in sorted(MISSING_MARKS & {*column.categories}):
            among = mark == "NA" and are_countries([*column.categories])
            print_kept_mark(column.name, mark, "codes of countries" if among else None)
    elif not is_said and _are_many(column):
        print_told_codes(column.name)


def _are_many(column):
    """Whether the categories of a column are numbers, and not two that say which."""
    numbers = [c for c in column.categories or () if isinstance(c, int | float)]
    return column.kind == "categorical" and len(numbers) > 2


class _Known(NamedTuple):
    """A table as it is described: its rows, or counts of them."""

    schema: Schema
    n_rows: int
    persons: Persons | None
    # Of columns, how many hold a value at least, and k: the table as it is released,
    # and which of its columns spell others.
    release: Callable[[Schema, int, int], tuple[ReleasedTable, tuple[Folding, ...]]]
    # The different values of a column, in order, and how many rows have each.
    counts: Callable[[Column], ColumnCounts]


def _of_rows(table, columns, person_id):
    people = read(table, columns, person_id)
    if person_id is None:
        warn_of_rows(people)
    persons = None if person_id is None else Persons.of(people.frame, person_id)
    schema = with_no_dates(people.values, people.schema, persons)

    def release(usable, rare, k):
        spelt = find_foldings(people.values, usable, rare, k, persons=persons)
        folded = fold(people.values, usable, spelt)
        return release_values(*folded, rare, persons=persons), spelt

    def counts(column):
        return count_values(*people.values.read(column))

    return _Known(schema, len(people.frame), persons, release, counts)


def _of_counts(source, columns, person_id):
    # As of fits, which a table that is read does without.
    from coclust_synth.generators.plain.counted import SAMPLE_ROWS
    from coclust_synth.scale.released import ReleasedCounts

    refused = {
        "--recode": columns.recode,
        "--encoding": columns.encoding,
        "--person-id": person_id,
    }
    check_counted([option for option, own in refused.items() if own is not None])
    found = source.schema(declared_columns(source, columns))

    def release(usable, rare, _):
        sample = source.sample(SAMPLE_ROWS, np.random.SeedSequence(0))
        counts = ReleasedCounts.of(source, usable, rare, sample)
        return counts.of_rows(sample), ()

    return _Known(found, source.n_rows, None, release, source.column_counts)


# Options of `domain` for which there must be rows.
_OF_DATA = ("keep", "delimiter", "encoding", "recode", "bins")


@command
def domain(
    context: typer.Context,
    new: Annotated[
        Path, typer.Option("--new", metavar="OUT", help="TOML file to start.")
    ],
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...",
            help=f"Columns to declare {LISTED}; no other is looked at.",
        ),
    ] = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    domain_from_data: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            help="Fill it in from the rows of this table, for tests only: whatever is "
            "released over it is labelled as not differentially private.",
        ),
    ] = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    recode: options.Recode = None,
    bins: options.Bins = 10,
    force: options.Force = False,
):
    """Start the declaration of a table's domain, which a private release needs.

    The file lists the columns. Fill in the categories, or the bounds and the bins of
    numbers and dates, from the questionnaire or the code book. Values read from the
    rows instead are not protected: they reveal that somebody has them. A column that
    cannot be declared from the rows is written as a comment, with the reason.

    Example: coclust-synth domain --new domain.toml --columns age,sex,job
    """
    asked = [name for name in split_names(columns) if name]
    dropped = split_names(drop, asked)
    asked = [name for name in dict.fromkeys(asked) if name not in dropped]
    if not asked and domain_from_data is None:
        raise ParameterError(
            "Expected the names of the columns to declare. Received none. Give for "
            "instance --columns age,sex."
        )
    check_output(new, force, inputs=(domain_from_data, recode), is_table=False)
    if domain_from_data is None:
        chosen = chosen_options(context, domain)
        of_data = [chosen[own] for own in _OF_DATA if own in chosen]
        if of_data:
            raise ParameterError(
                "Expected --domain-from-data beside options that say how rows are "
                f"read. Received {', '.join(of_data)} without it. Leave them out, and "
                "write into the file what they would say."
            )
        columns = counted(len(asked), "column")
        text, told = blank_domain(asked), f"Fill in {columns} in {new}."
    else:

        def read(names):
            form = {"delimiter": delimiter, "encoding": encoding}
            cells = read_texts(domain_from_data, names, **form)
            return cells if recode is None else recoding_of(recode).of_cells(cells)

        texts = _select(read, columns, asked, drop)
        kept = split_names(keep, texts.columns)
        draft = draft_domain(texts, bins=bins, keep=kept)
        _check_read(draft)
        text, told = draft.to_toml(), _told(draft)
    write_files({new: text.encode("utf-8")})
    print(told)
    if domain_from_data is not None:
        _print_odd_numbers(draft, texts)


def _print_odd_numbers(draft, texts):
    """Numbers that may stand for a missing value, and those far from all others."""
    for name, column in draft.columns.items():
        if name in draft.left_out or column.categories is not None or column.is_date:
            continue
        numbers = pd.to_numeric(texts[name], errors="coerce").dropna()
        distinct, rows = np.unique(numbers, return_counts=True)
        codes = missing_codes(distinct)
        if column.missing in map(str, codes):
            print_declared_code(name, column.missing)
        else:
            print_missing_codes(name, codes)
        if column.clamp:
            print_clamped_numbers(name, far_numbers(distinct, rows))


def _select(read, said, asked, drop):
    """The texts of the columns asked for, by default of all but those dropped."""
    try:
        texts = read(asked or None)
    except TableError:
        # What was said is parted by the names of the table, where some hold commas.
        known = read(None).columns
        named = split_names(said, known)
        left_out = split_names(drop, known)
        named = [name for name in named if name not in left_out]
        if not asked or named == asked:
            raise
        asked, texts = named, read(named)
    dropped = split_names(drop, texts.columns)
    for name in asked or dropped:
        if name not in texts.columns:
            known = read(None).columns if asked else texts.columns
            raise SchemaError(unknown_column(name, tuple(known)))
    return texts[asked] if asked else texts.drop(columns=dropped)


def _check_read(draft):
    """Some column of a drafted domain has to be one that can be read."""
    if len(draft.left_out) < len(draft.columns):
        return
    named = (
        reason if reason.startswith("Column ") else f"Column {name!r}: {reason}"
        for name, reason in draft.left_out.items()
    )
    reasons = " ".join(" ".join(named).split())
    raise TableError(
        "Expected at least one column whose domain can be read from its rows. "
        f"Received none. {reasons} Declare them by hand, starting with --new and "
        "--columns alone, or --keep columns that are no identifiers."
    )


def _told(draft):
    n_read = len(draft.columns) - len(draft.left_out)
    told = f"Read {counted(n_read, 'column')}: {FROM_DATA}."
    if draft.left_out:
        names = ", ".join(draft.left_out)
        told += f" Left as comments, each with the reason: {names}."
    return told
