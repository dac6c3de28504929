"""`inspect`: the schema of a table."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.command import command
from coclust_synth.cli.tables import check_output, read
from coclust_synth.generators.plain.fitting import default_k
from coclust_synth.reports.console import print_pooled, print_rules, print_schema
from coclust_synth.tables.parts.rare import DEFAULT_RARE
from coclust_synth.tables.parts.released import release_values
from coclust_synth.tables.people.people import Persons, check_k
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.steps import find_order_of_rows
from coclust_synth.validation import check_integer


@command
def inspect(
    table: options.TableArgument,
    columns: options.Columns,
    rare: Annotated[
        int, typer.Option("--rare", min=1, help="That of `fit` and `synth`.")
    ] = DEFAULT_RARE,
    k: options.FitK = None,
    person_id: privacy_options.PersonId = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Save the schema as TOML, to be edited and given back by --schema.",
            show_default=False,
        ),
    ] = None,
    json_: options.Json = False,
    force: options.Force = False,
):
    """Print the schema of a table: kinds, roles, missing marks, bounds.

    Columns that look like identifiers, names or free text are named, with the sign;
    other commands refuse them until you --drop or --keep them, or name one by
    --person-id. Those with values that fewer individuals than --rare hold, which `fit`
    and `synth` release as others, are named too.

    Rules are listed that columns respect, of k individuals or more: `fit` and `synth`
    find and keep them. A saved schema holds them, to be removed or added to. With
    --person-id the column is named that the rows of a person are in the order of.

    Example: coclust-synth inspect people.csv -o schema.toml
    """
    if output is not None:
        check_output(output, force, inputs=(table, *columns.files), is_table=False)
    known = read(table, columns, person_id)
    frame, found = known
    persons = None if person_id is None else Persons.of(frame, person_id)
    if k is not None:
        check_integer("k", k, minimum=1)
        check_k(k, len(frame), persons)
    # Undecided ones may be kept later; a column that is dropped takes its rules along.
    usable, pooled, rules = found.keep(*found.undecided).kept, (), ()
    ordered_by = None
    if usable.columns:
        n_individuals = len(frame) if persons is None else persons.n
        rare = min(rare, n_individuals)
        released = release_values(known.values, usable, rare, persons=persons)
        pooled = [of for of in released.pooled if of.column in found.kept.names]
        evidence = Evidence.of(released, persons)
        k = default_k(n_individuals) if k is None else k
        rules = rules_of(evidence, usable.rules, k)
        if persons is not None:
            ordered_by = find_order_of_rows(evidence, rules.orders, k)
        rules = rules.without_values(found.undecided).all
    stated = found.rules is not None
    found = replace(found, rules=tuple(rule.relation for rule in rules))
    if output is not None:
        found.save(output, force=force)
    if json_:
        content = found.without_values().to_dict()
        content["rules"] = [rule.to_dict() | {"broken": rule.broken} for rule in rules]
        if persons is not None:
            content["in_order_of"] = ordered_by
        print(json.dumps(content, ensure_ascii=False))
        return
    print_schema(found.without_values(), source=str(table))
    print_pooled([of._asdict() for of in pooled])
    print_rules(rules, stated=stated)
    if ordered_by is not None:
        print(f"Rows of a person are in the order of {ordered_by!r}.")
