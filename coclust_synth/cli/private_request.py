"""What is asked of a private release, by the options of `dp`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from coclust_synth import baselines, generators
from coclust_synth.cli import options
from coclust_synth.cli.names import LISTED, split_names
from coclust_synth.cli.tables import check_counted, recoding_of
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.dp.workload import read_workload
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.people.bounded import bound_rows
from coclust_synth.tables.reading.table import read_texts
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


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of a release; under the names of the arguments of generators."""

    epsilon: Annotated[
        float, typer.Option(help="Privacy budget, above 0; there is no default.")
    ]
    domain: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Declared domain in TOML, which `domain` starts."
        ),
    ] = None
    domain_from_data: Annotated[
        bool,
        typer.Option(
            "--domain-from-data",
            help="Take the domain from the rows, for tests only: the release is "
            "labelled as not differentially private.",
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
            help="dpcocgen, or a baseline for comparison. mst and aim need --delta; "
            "diffgen needs one --target, the class. dp-mhmd counts the groups of "
            "columns of --workload; laplace, privelet and dpcube count all cells of "
            "the domain; independent, noise-first, structure-first and p-hpartition "
            "count each column on its own."
        ),
    ] = "dpcocgen"
    variant: Annotated[
        Literal["default", "adaptive", "blocks", "thesis", "thesis-merges"],
        typer.Option(
            help="Of dpcocgen: chosen margins (adaptive), histograms of blocks of "
            "columns (blocks), the algorithm as first published (thesis), or the same "
            "with merges chosen on the data (thesis-merges). By default, what suits "
            "the domain, epsilon and the noisy number of rows."
        ),
    ] = "default"
    delta: Annotated[
        float | None,
        typer.Option(
            help="Probability with which the promise of epsilon may fail; none by "
            "default, and none where few queries are made. Above 1e-6 it requires "
            "--large-delta too."
        ),
    ] = None
    large_delta: Annotated[
        bool,
        typer.Option(
            "--large-delta", help="Confirm that a delta above 1e-6 is intended."
        ),
    ] = False
    targets: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            metavar="NAME,...",
            help=f"Columns whose relations with others matter most {LISTED}, "
            "for aim and where dpcocgen chooses margins; for diffgen, the class.",
        ),
    ] = None
    workload: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Sets of columns whose joint distribution is wanted, in TOML: "
            '[[margin]], columns = ["age", "sex"], weight = 2. For the same '
            "methods as --target; for dp-mhmd, the groups.",
        ),
    ] = None
    neighbours: Annotated[
        Literal["add-remove", "replace"],
        typer.Option(
            help="How neighbouring tables differ: one person added or "
            "removed, or one person's answers replaced, which doubles the noise."
        ),
    ] = "add-remove"
    person_id: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column that names the person of each row; without it, each row is a "
            "person.",
        ),
    ] = None
    rows_per_person: Annotated[
        int, typer.Option(min=1, help="Rows used per person, at most.")
    ] = 1
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            "-n",
            help="Synthetic rows; by default the noisy number of rows of the table.",
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
            help="Recoding in TOML, written like the domain without looking at the "
            "table. Each cell is recoded on its own, first; the values of the domain "
            "are the recoded ones.",
        ),
    ] = None
    bins: options.Bins = 10
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Print what would be measured, with which noise and expected error, "
            "for --expected-rows. No TABLE is opened, and nothing is spent or written.",
        ),
    ] = False
    expected_rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="For --plan: number of rows that are used, as publicly known or "
            "guessed: those of the table, or with --person-id at most "
            "--rows-per-person of each person.",
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
                "Leave it out, or give the delta by --delta."
            )
        if self.person_id is None and self.rows_per_person != 1:
            raise ParameterError(
                "Expected the column of the persons with rows_per_person. Received "
                f"{self.rows_per_person} without it. Name it by --person-id."
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
                    "Expected --plan with a declared --domain alone: a plan reads, "
                    f"draws and writes no table. Received {told}. Leave it out."
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
                "Expected a domain without the column of the persons: the list of "
                f"its values says who is in the table. Received {self.person_id!r} in "
                "it. Leave it out."
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
            own["targets"] = split_names(self.targets, declared.names)
        if own.get("workload") is not None:  # which the manifest tells
            own["workload"] = read_workload(self.workload)
        family, name = METHODS[self.method]
        return getattr(family, name)(**own | {"domain": declared})
