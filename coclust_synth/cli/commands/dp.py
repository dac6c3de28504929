"""`dp`: differentially private tables."""

import json
import time
from dataclasses import replace

import typer

from coclust_synth.cli import options
from coclust_synth.cli.command import check_options, chosen_options, command
from coclust_synth.cli.evaluated import Reported, Written
from coclust_synth.cli.private_request import TAKES, Asked
from coclust_synth.cli.tables import (
    MANIFEST,
    STATEMENT,
    beside,
    check_output,
    told_recoding,
)
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.generators.release_plan import noise_planned
from coclust_synth.reports.console import print_plan
from coclust_synth.reports.private_release import (
    manifest_text,
    private_manifest,
    told_releases,
)
from coclust_synth.reports.private_statement import private_statement, private_warnings
from coclust_synth.tables.domain.conditions import DomainConditions
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.rows import declared_table
from coclust_synth.tables.files import write_files
from coclust_synth.tables.writing import released_bytes

_NO_RULES = "none: sums, orders and codes may not fit in a row; keep yours by --where"
_NO_CHOICE = (
    "of no effect: no margin was chosen, as all cells, or single columns, were counted"
)
_OTHER_EPSILON = (
    "What other budgets can be expected to give: plans of the same method for the "
    "noisy number of rows. They read no row and spend nothing."
)


@command
def dp(
    context: typer.Context,
    asked: Asked,
    printed: options.Output,
    reported: Reported,
    engine: options.Engine,
    table: options.AnyTableOrNone = None,
    output: options.OutputOrNone = None,
):
    """Release a differentially private synthetic table, with a statement to sign.

    The columns of the domain are released; others are left out. Beside OUT,
    NAME.manifest.json says what was spent on what, and NAME.statement.md says it on one
    page to sign. With --force, they name the releases that are replaced, and add up
    their epsilons. Noise comes from the system's random bits: there is no seed, and two
    runs differ.

    --given and --where cost nothing: rows are drawn from the noisy model under them.
    Conditions that no value of the domain meets are refused before anything is spent;
    conditions that hardly any row of the model meets are refused after the budget is
    spent.

    --report compares the release with the table, after it is written and outside the
    budget: publishing those figures spends privacy that no ledger counts.

    A folder of Parquet files, or a table of a database, is counted in place by an
    engine; what the engine keeps of its queries is outside the budget too.

    To see what would be measured, from the domain and a number of rows alone:
    coclust-synth dp --plan --expected-rows 50000 --epsilon 1 --domain domain.toml

    Example: coclust-synth dp people.csv -o private.csv --epsilon 1 --domain domain.toml
    """
    start = time.perf_counter()
    chosen = chosen_options(context, dp)
    check_options(asked.method, chosen, TAKES)
    asked.check_files(table, output, chosen)
    asked.check(chosen)
    _check_report(asked, reported)
    if asked.plan:
        _tell_plan(asked, printed)
        return
    by_engine = engine.counts(table)
    if by_engine:
        asked.check_counted(reported)
    inputs = (*asked.inputs(table), reported.holdout)
    told = _check_outputs(output, printed.force, inputs=inputs)
    reported.check(printed.force, inputs=inputs, output=output)
    _told_by(told[MANIFEST])
    if by_engine:
        frame, declared = asked.counted(engine.source(table))
    else:
        frame, declared = asked.read(table)
    DomainConditions(declared, **asked.conditions)  # refused before anything is spent
    compared = _compared(asked, reported, frame, declared)
    generator = asked.generator(declared).fit(frame)
    released = generator.sample(asked.rows, **asked.conditions)
    content = released_bytes(
        released, output, delimiter=asked.delimiter or ",", lay_out=declared.lay_out()
    )
    # Again: what another run has released meanwhile is never lost.
    _check_outputs(output, printed.force, inputs=inputs)
    manifest = private_manifest(
        generator,
        released,
        output.name,
        content,
        _told_by(told[MANIFEST]),
        asked.conditions,
        told_recoding(asked.recode, declared=True),
        by_engine,
        by_person=asked.person_id is not None,
    )
    write_files(
        {
            output: content,
            told[MANIFEST]: manifest_text(manifest).encode(),
            told[STATEMENT]: private_statement(manifest).encode(),
        }
    )
    if reported.is_asked:
        real, held = compared
        reported.write(
            (real, released, held),
            Written(output, manifest, private_warnings(manifest)),
            seed=0,
            shown=printed.talks,
            sections=_sections(asked, generator, manifest),
        )
    facts = _facts(manifest, released, generator.ledger_, asked) | {
        "seconds": round(time.perf_counter() - start, 3),
        "output": str(output),
        "manifest": str(told[MANIFEST]),
    }
    printed.tell(facts)


def _facts(manifest, released, ledger, asked):
    """What a run says of a release: nothing that its manifest does not.

    But that rows were drawn without rules, as the data is not asked for any, and that
    what matters more did not matter.
    """
    conditions = asked.conditions
    rules = {} if "where" in conditions else {"rules": _NO_RULES}
    return {
        "statement": manifest["statement"],
        **conditions,
        **rules,
        **_unused(asked, ledger),
        **manifest.get("expected_noise", {}),
        "rows": len(released),
        "rows_used": manifest.get("rows_used"),
        "columns": ", ".join(released.columns),
        **_spent(ledger),
        "epsilon_with_earlier_releases": manifest["epsilon_total"],
        "looks_at_the_data": len(ledger.entries),
    }


def _unused(asked, ledger):
    """What was declared to matter more where nothing was chosen by it."""
    is_chosen = any(entry.mechanism.startswith("noisy max") for entry in ledger.entries)
    if is_chosen or asked.method != "dpcocgen":
        return {}
    names = "targets", "workload"
    return {name: _NO_CHOICE for name in names if getattr(asked, name) is not None}


def _sections(asked, generator, manifest):
    """What the page of a release tells of its budget, and of others."""
    from coclust_synth.evaluation.trade_offs import private_trade_off
    from coclust_synth.reports.html.sections import budget_section, trade_off_section

    yield budget_section(manifest)

    def plan(epsilon):
        other = replace(asked, epsilon=epsilon).generator(generator.domain_)
        return other.plan(generator.n_rows_)

    try:
        curve = private_trade_off(plan, asked.epsilon)
    except ParameterError:  # variants of which no plan is made
        return
    if curve.lines:
        yield trade_off_section([curve], _OTHER_EPSILON)


def _check_report(asked, reported):
    """Refuse a report of what cannot be compared with the table."""
    if reported.is_asked and (asked.plan or asked.conditions):
        what = "--plan" if asked.plan else ", ".join(f"--{n}" for n in asked.conditions)
        raise ParameterError(
            "Expected --report for a release of the whole table. Received it with "
            f"{what}. Leave one of them out."
        )


def _compared(asked, reported, frame, declared):
    """The rows that a release is to be compared with, and those kept aside, if any.

    They are read, and a holdout is refused, before anything is spent.
    """
    if not reported.is_asked:
        return None, None
    real, held = declared_table(declared, frame), None
    if reported.holdout is not None:
        cells = asked.read_cells(reported.holdout, declared.names)
        try:
            held = declared_table(declared, cells)
        except TableError as error:
            raise TableError(
                "Expected rows of --holdout whose values the domain declares. "
                f"Received {str(reported.holdout)!r}. {error} Or give another "
                "--holdout."
            ) from None
        reported.check_holdout(real, held)
    return real, held


def _spent(ledger):
    """What was spent, in the unit of the ledger."""
    return {"epsilon_spent" if ledger.rho is None else "rho_spent": ledger.spent}


def _tell_plan(asked, printed):
    """Print what would be measured."""
    domain = Domain.load(asked.domain)
    plan = asked.generator(domain).plan(asked.expected_rows)
    if printed.as_json:
        print(json.dumps(plan.to_dict(), ensure_ascii=False, allow_nan=False))
    elif printed.talks:
        print_plan(plan)
        if plan.is_mostly_noise:
            print(noise_planned(plan.rows_of_noise, len(domain.names)))
        if asked.person_id is not None:
            most = asked.rows_per_person
            print(f"The rows are those that are used, at most {most} of each person.")


def _check_outputs(output, force, inputs):
    """The files beside the table, by their ending, if all three can be written."""
    told = (MANIFEST, STATEMENT)
    check_output(output, force, inputs=inputs, replaces=told)
    paths = {ending: beside(output, ending) for ending in told}
    for path in paths.values():
        check_output(path, force, inputs=inputs, is_table=False)
    return paths


def _told_by(path):
    """The releases that a manifest tells of which is about to be replaced, if any."""
    if not path.exists():
        return []
    try:
        return told_releases(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, RecursionError, OSError) as error:
        raise ParameterError(
            f"Expected the manifest of an earlier release in {str(path)!r}. Received "
            f"something else ({error}). Move it away, and add by hand what that "
            "release spent to what this one spends."
        ) from None
