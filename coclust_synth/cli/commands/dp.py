"""`dp`: differentially private tables."""

import json
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from coclust_synth import baselines, generators
from coclust_synth.cli import options
from coclust_synth.cli.command import check_options, chosen_options, command
from coclust_synth.cli.evaluated import Reported, Written
from coclust_synth.cli.tables import (
    MANIFEST,
    STATEMENT,
    beside,
    check_counted,
    check_output,
    recoding_of,
    told_recoding,
)
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.generators.dp.workload import read_workload
from coclust_synth.reports.console import print_plan
from coclust_synth.reports.private_release import (
    manifest_text,
    private_manifest,
    private_statement,
    private_warnings,
    told_releases,
)
from coclust_synth.tables.domain.conditions import DomainConditions
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.domain.rows import declared_table
from coclust_synth.tables.files.outputs import write_files
from coclust_synth.tables.people.bounded import bound_rows
from coclust_synth.tables.reading.table import read_texts
from coclust_synth.tables.writing import released_bytes
from coclust_synth.validation import check_integer

# The generator of each method, a name of its family, which is imported when it is
# asked for: scikit-learn takes a second.
METHODS = {
    "dpcocgen": (generators, "DPCocGen"),
    "laplace": (baselines, "LaplaceHistogram"),
    "privelet": (baselines, "Privelet"),
    "dpcube": (baselines, "DPCube"),
    "privbayes": (baselines, "PrivBayes"),
    "mst": (baselines, "MSTSynthesizer"),
    "aim": (baselines, "AIMSynthesizer"),
    "independent": (baselines, "IndependentMargins"),
    "noise-first": (baselines, "NoiseFirst"),
    "structure-first": (baselines, "StructureFirst"),
    "p-hpartition": (baselines, "PHPartition"),
    "diffgen": (baselines, "DiffGen"),
    "dp-mhmd": (baselines, "DPMHMD"),
}
# Arguments of all, and what else some take of those that options set.
_OF_ALL = {"epsilon", "domain", "neighbours", "rows_per_person"}
_OF_SOME = {
    "dpcocgen": {"variant", "delta", "large_delta", "targets", "workload"},
    "mst": {"delta", "large_delta"},
    "aim": {"delta", "large_delta", "targets", "workload"},
    "diffgen": {"targets"},
    "dp-mhmd": {"workload"},
}
TAKES = {name: _OF_ALL | _OF_SOME.get(name, set()) for name in METHODS}
# Arguments about rows that are read, or a table that is written, which no plan has.
_NOT_OF_PLANS = {
    *("table", "output", "domain_from_data", "given", "where", "recode", "rows"),
    *("delimiter", "encoding", "engine", "memory", "temp"),
}
_NO_RULES = "none: sums, orders and codes may not fit in a row; keep yours by --where"
_OTHER_EPSILON = (
    "What other budgets would be expected to give: plans of the same method for the "
    "noisy number of rows, which look at no row and spend nothing."
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of a release; under the names of the arguments of generators."""

    epsilon: Annotated[
        float,
        typer.Option(help="Privacy budget, above 0; there is no default."),
    ]
    domain: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Declared domain in TOML, which `domain` starts.",
            show_default=False,
        ),
    ] = None
    domain_from_data: Annotated[
        bool,
        typer.Option(
            "--domain-from-data",
            help="Take the domain from the rows, for tests: the release is labelled as "
            "not differentially private.",
        ),
    ] = False
    method: Annotated[
        Literal[
            "dpcocgen",
            "laplace",
            "privelet",
            "dpcube",
            "privbayes",
            "mst",
            "aim",
            "independent",
            "noise-first",
            "structure-first",
            "p-hpartition",
            "diffgen",
            "dp-mhmd",
        ],
        typer.Option(
            help="dpcocgen, or a baseline to compare it with; mst and aim need "
            "--delta, diffgen one --target, the class; dp-mhmd counts the groups of "
            "columns of --workload, laplace, privelet and dpcube all cells of the "
            "domain, independent, noise-first, structure-first and p-hpartition each "
            "column on its own."
        ),
    ] = "dpcocgen"
    variant: Annotated[
        Literal["default", "adaptive", "blocks", "thesis", "thesis-merges"],
        typer.Option(
            help="Of dpcocgen: chosen margins (adaptive), histograms of blocks of "
            "columns, or the algorithm as first published (thesis), or with merges "
            "chosen on the data (thesis-merges); by default, what suits the domain, "
            "epsilon and the noisy number of rows."
        ),
    ] = "default"
    delta: Annotated[
        float | None,
        typer.Option(
            help="Chance that the promise of epsilon may fail; none by default, and "
            "none where few queries are made. Above 1e-6 it takes --large-delta too.",
            show_default=False,
        ),
    ] = None
    large_delta: Annotated[
        bool,
        typer.Option("--large-delta", help="A delta above 1e-6 is meant."),
    ] = False
    targets: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            metavar="NAME,...",
            help="Columns whose relations with others matter most (repeatable); of "
            "dpcocgen where it chooses margins, and aim; of diffgen the class.",
            show_default=False,
        ),
    ] = None
    workload: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Sets of columns whose joint distribution is wanted, in TOML: "
            '[[margin]], columns = ["age", "sex"], weight = 2; as for '
            "--target, and of dp-mhmd the groups.",
            show_default=False,
        ),
    ] = None
    neighbours: Annotated[
        Literal["add-remove", "replace"],
        typer.Option(help="What a person's change is; by replace the noise doubles."),
    ] = "add-remove"
    person_id: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column that names the person of each row; one row a person without.",
            show_default=False,
        ),
    ] = None
    rows_per_person: Annotated[
        int,
        typer.Option(min=1, help="Rows of a person that are used, at most."),
    ] = 1
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            "-n",
            help="Synthetic rows; by default the noisy number of the table's.",
            show_default=False,
        ),
    ] = None
    given: options.Given = None
    where: options.Where = None
    delimiter: options.Delimiter = None
    encoding: options.Encoding = "utf-8"
    recode: Annotated[
        Path | None,
        typer.Option(
            "--recode",
            metavar="FILE",
            help="Recoding in TOML, declared as the domain is and without the table at "
            "hand: each cell on its own, before the domain is looked at, whose values "
            "are the recoded ones.",
            show_default=False,
        ),
    ] = None
    bins: options.Bins = 10
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Print what would be measured, with which noise and expected error, "
            "for --expected-rows; no TABLE is opened, nothing is spent or written.",
        ),
    ] = False
    expected_rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Of --plan: rows that are used, as publicly known or guessed: those "
            "of the table, or with --person-id of each person --rows-per-person at "
            "most.",
            show_default=False,
        ),
    ] = None
    seed: Annotated[str | None, typer.Option(hidden=True)] = None

    def check(self, chosen):
        """Refuse options that do not go together; for `chosen` see `chosen_options`."""
        if self.seed is not None:
            raise ParameterError(
                "Expected no seed: whoever knows it can take the noise away. Received "
                f"--seed {self.seed}. Leave it out."
            )
        if (self.domain is None) == (not self.domain_from_data):
            raise ParameterError(
                "Expected a declared domain, or --domain-from-data. Received "
                f"{'neither' if self.domain is None else 'both'}. Start one by "
                "`coclust-synth domain --new domain.toml --columns ...`."
            )
        if self.domain is not None and "bins" in chosen:
            raise ParameterError(
                "Expected --bins with --domain-from-data. Received it with a declared "
                "domain, which has its own. Leave it out, or change `bins` in "
                f"{str(self.domain)!r}."
            )
        if self.large_delta and self.delta is None:
            raise ParameterError(
                "Expected --delta with --large-delta. Received --large-delta alone. "
                "Leave it out, or say by --delta which one is meant."
            )
        if self.person_id is None and self.rows_per_person != 1:
            raise ParameterError(
                "Expected the column of the persons with rows_per_person. Received "
                f"{self.rows_per_person} without. Name it by --person-id."
            )
        if self.rows is not None:
            check_integer("the number of rows", self.rows, minimum=1)

    def inputs(self, table):
        """Files that are read, which no output replaces."""
        return table, self.domain, self.workload, self.recode

    def check_files(self, table, output, chosen):
        """Refuse a plan of a table, and a release without one."""
        if self.plan:
            found = [o for name, o in chosen.items() if name in _NOT_OF_PLANS]
            if found:
                told = ", ".join("TABLE" if o == "table" else o for o in found)
                raise ParameterError(
                    "Expected --plan with a declared --domain alone: it opens, draws "
                    f"and writes no table. Received {told}. Leave it out."
                )
        else:
            files = {"TABLE": table, "--output": output}
            lacking = [name for name, path in files.items() if path is None]
            if lacking:
                raise ParameterError(
                    "Expected a table to release, and --output. Received no "
                    f"{' and no '.join(lacking)}. Give both, or --plan to see what "
                    "would be measured."
                )
        if self.plan == (self.expected_rows is None):
            raise ParameterError(
                "Expected --plan and --expected-rows together. Received "
                f"{'--plan' if self.plan else '--expected-rows'} alone. Give both, or "
                "neither."
            )

    def check_counted(self, reported):
        """Refuse what needs all rows in memory."""
        refused = {
            "--report": reported.is_asked,
            "--recode": self.recode is not None,
            "--domain-from-data": self.domain_from_data,
        }
        check_counted([option for option, is_asked in refused.items() if is_asked])

    def counted(self, source):
        """A source, of which a person has only so many rows, and the domain."""
        declared = Domain.load(self.domain)
        if self.person_id is None:
            return source, declared
        self._check_domain_of_persons(declared)
        return source.bounded(self.person_id, self.rows_per_person), declared

    def _check_domain_of_persons(self, declared):
        if self.person_id in declared.names:
            raise ParameterError(
                "Expected a domain without the column of the persons: a list of them "
                f"says who is there. Received {self.person_id!r} in it. Leave it out."
            )

    def read(self, table):
        """The texts of the declared columns, and the domain that declares them."""
        read = partial(self.read_cells, table)
        if self.domain is None:
            texts = read().drop(columns=[self.person_id or ""], errors="ignore")
            declared = draft_domain(texts, bins=self.bins).to_domain()
        else:
            declared = Domain.load(self.domain)
        read = partial(read, laid_out=declared.laid_out_numbers)
        if self.person_id is None:
            return read(declared.names), declared
        self._check_domain_of_persons(declared)
        rows = read((*declared.names, self.person_id))
        return bound_rows(rows, self.person_id, self.rows_per_person), declared

    def read_cells(self, table, names=None, laid_out=()):
        """The texts of some columns, or of all, each cell recoded on its own."""
        form = {"delimiter": self.delimiter, "encoding": self.encoding}
        if self.recode is None:
            return read_texts(table, names, laid_out=laid_out, **form)
        recoding = recoding_of(self.recode, self.person_id)
        laid_out = (*laid_out, *recoding.laid_out_numbers)
        return recoding.of_cells(read_texts(table, names, laid_out=laid_out, **form))

    @property
    def conditions(self):
        """Those that are asked for, by option."""
        asked = {"given": self.given, "where": self.where}
        texts = {name: options.conditions_of(own) for name, own in asked.items()}
        return {name: text for name, text in texts.items() if text is not None}

    def generator(self, declared):
        """The generator of the method, of the arguments that it takes."""
        own = {n: value for n, value in vars(self).items() if n in TAKES[self.method]}
        if own.get("targets") is not None:
            own["targets"] = options.split_names(self.targets, declared.names)
        if own.get("workload") is not None:  # which the manifest tells
            own["workload"] = read_workload(self.workload)
        family, name = METHODS[self.method]
        return getattr(family, name)(**own | {"domain": declared})


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

    Columns of the domain are released, others left out. Beside OUT are written
    NAME.manifest.json, what was spent on what, and NAME.statement.md, one page of it;
    with --force, they name the releases that are replaced, and add up their epsilons.
    Noise comes from the system's random bits: there is no seed, and two runs differ.

    --given and --where cost nothing: rows are drawn from the noisy model under them.
    What no value of the domain meets is refused before anything is spent, what hardly
    any row of the model meets with the budget spent.

    --report compares the release with the table, after it is written and outside of the
    budget: publishing those figures spends privacy that no ledger counts.

    A folder of Parquet files, and a table of a base, are counted where they are by an
    engine; what that keeps of its queries is outside of the budget too.

    What would be measured, without a table, of the domain and a number of rows alone:
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
        released,
        output,
        delimiter=asked.delimiter or ",",
        lay_out=declared.lay_out(),
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
        told_recoding(asked.recode),
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
    facts = _facts(manifest, released, generator.ledger_, asked.conditions) | {
        "seconds": round(time.perf_counter() - start, 3),
        "output": str(output),
        "manifest": str(told[MANIFEST]),
    }
    printed.tell(facts)


def _facts(manifest, released, ledger, conditions):
    """What a run says of a release: nothing that its manifest does not.

    But that rows were drawn without rules: the data is not asked for any.
    """
    rules = {} if "where" in conditions else {"rules": _NO_RULES}
    return {
        "statement": manifest["statement"],
        **conditions,
        **rules,
        "rows": len(released),
        "rows_used": manifest.get("rows_used"),
        "columns": ", ".join(released.columns),
        **_spent(ledger),
        "epsilon_with_earlier_releases": manifest["epsilon_total"],
        "looks_at_the_data": len(ledger.entries),
    }


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
            "Expected --report of a release that stands for the whole table. Received "
            f"it with {what}. Leave one of them out."
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
                "Expected rows of --holdout that the domain declares. Received "
                f"{str(reported.holdout)!r}. {error} Or give another --holdout."
            ) from None
        reported.check_holdout(real, held)
    return real, held


def _spent(ledger):
    """What was spent, in the unit of the ledger."""
    return {"epsilon_spent" if ledger.rho is None else "rho_spent": ledger.spent}


def _tell_plan(asked, printed):
    """Print what would be measured."""
    plan = asked.generator(Domain.load(asked.domain)).plan(asked.expected_rows)
    if printed.as_json:
        print(json.dumps(plan.to_dict(), ensure_ascii=False, allow_nan=False))
    elif printed.talks:
        print_plan(plan)
        if asked.person_id is not None:
            most = asked.rows_per_person
            print(f"Rows are those that are used, of each person {most} at most.")


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
            f"something else ({error}). Move it away, and add by hand what was spent."
        ) from None
