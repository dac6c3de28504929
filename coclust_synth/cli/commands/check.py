"""`check`: what the privacy models say of a released table."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.command import chosen_options, command
from coclust_synth.cli.names import split_names
from coclust_synth.cli.tables import MANIFEST, beside, check_output, recoding_of
from coclust_synth.evaluation.checking.privacy_check import check_release
from coclust_synth.evaluation.measures import INDIVIDUALS, PERSONS, ROWS
from coclust_synth.evaluation.risk.records import record_risk
from coclust_synth.evaluation.risk.two_releases import check_two_releases
from coclust_synth.exceptions import ParameterError
from coclust_synth.reports.manifest import (
    digests_of,
    file_digest,
    is_of_persons,
    read_manifest,
)
from coclust_synth.reports.privacy_check import (
    print_privacy_check,
    print_record_risk,
    print_two_releases,
    privacy_check_facts,
    record_risk_facts,
    two_releases_facts,
)
from coclust_synth.tables.files import write_files
from coclust_synth.tables.generalized.sidecar import sidecar_path
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchy_formats import read_hierarchies
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.reading.table import read_as_is
from coclust_synth.tables.schema import unknown_column

# What two releases are asked, and what is done with the answer.
_OF_BOTH = {
    *("released", "other", "qi", "sensitive", "k"),
    *("output", "json_", "force"),
}
_PANEL = "Risk of records"
_ROWS_OF_PERSONS = (
    "Warning: a person can have several rows, and the release does not say which "
    "rows belong together. k, the models and the risks therefore count rows; a class "
    "has as many persons or fewer. The guarantee in the manifest counts persons."
)
_FAILS = 1  # exit code where a model that was asked for does not hold


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of a released table."""

    qi: privacy_options.QuasiIdentifiers = None
    sensitive: privacy_options.Sensitive = None
    k: Annotated[
        int | None, typer.Option("--k", help="Rows in each class, at least.")
    ] = None
    person_id: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column that names the person of each row, if the table still has "
            "it: k and the models then count persons.",
        ),
    ] = None
    household_id: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column that names the household of each row, for the risk of "
            "households.",
        ),
    ] = None
    l_diversity: privacy_options.LDiversity = None
    t_closeness: privacy_options.TCloseness = None
    alpha: privacy_options.Alpha = None
    delta_presence: privacy_options.DeltaPresence = None
    k_map: privacy_options.PeopleOfClass = None
    sampling_fraction: privacy_options.SamplingFraction = None
    population: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The population of which the released people are a part, under the "
            "same labels.",
        ),
    ] = None
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=A,B,...",
            help="Values of a sensitive column of texts in their order, if it has one "
            "(repeatable).",
        ),
    ] = None
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of hierarchies (our .toml or .json, ARX .csv) of sensitive "
            "columns, for 0.2:hierarchical.",
        ),
    ] = None
    suppressed: Annotated[
        str | None,
        typer.Option(
            metavar="MARK",
            help="Mark of suppressed rows, such as *. Rows with it in every "
            "quasi-identifier are in no class.",
        ),
    ] = None

    recode: Annotated[
        Path | None,
        typer.Option(
            "--recode",
            metavar="FILE",
            help="Recoding in TOML, applied to the table and to the --population "
            "before the check: it shows what recoding would achieve.",
        ),
    ] = None

    def read(self, released):
        """The table of a file, and the population or None."""
        frame = with_orders(read_as_is(self._recoded(released)), self.order or ())
        if self.population is None:
            return frame, None
        return frame, read_as_is(self._recoded(self.population))

    def counted(self, released):
        """Who classes are counted by, where the manifest beside them tells of persons.

        Any file can lie there, as whoever made the table did not know of manifests.
        """
        if self.person_id is not None:
            return PERSONS
        try:
            manifest = read_manifest(beside(released, MANIFEST))
        except ParameterError:
            return INDIVIDUALS
        if not is_of_persons(manifest):
            return INDIVIDUALS
        is_its_own = file_digest(released) in digests_of(manifest)
        return ROWS if is_its_own else INDIVIDUALS

    def _recoded(self, path):
        """The cells of a file after the recoding, or its path if there is none."""
        if self.recode is None:
            return path
        return recoding_of(self.recode, self.person_id).of_table(path)

    def check(self, frame, population, *, risk=False):
        """What the models say of a table, whose risk is measured besides or not."""
        models, along = privacy_options.parse_models(
            self.l_diversity, self.t_closeness, self.alpha
        )
        asked = self.k_map is not None or self.delta_presence is not None
        models += privacy_options.population_models(
            self.delta_presence,
            self.k_map,
            None if risk and not asked else self.sampling_fraction,
        )
        sensitive = split_names(self.sensitive, frame.columns)
        models += self._models_along(along, sensitive, frame)
        return check_release(
            frame,
            split_names(self.qi, frame.columns),
            sensitive,
            k=self.k,
            models=models,
            population=population,
            suppressed=self.suppressed,
            person_id=self.person_id,
            household_id=self.household_id,
        )

    def check_both(self, released, other):
        """What is left of the tables of two files together."""
        tables = [_published(path) for path in (released, other)]
        names = {name: None for own in tables for name in _columns(own)}
        return check_two_releases(
            *tables,
            split_names(self.qi, names),
            split_names(self.sensitive, names),
            k=self.k,
        )

    def _models_along(self, along, sensitive, frame):
        """The models along the hierarchies of sensitive columns."""
        names = privacy_options.columns_along(along, sensitive)
        trees = {}
        if names and self.hierarchies is not None:
            unknown = [name for name in names if name not in frame.columns]
            if unknown:
                raise ParameterError(unknown_column(unknown[0], tuple(frame.columns)))
            own = frame[names]
            trees = read_hierarchies(self.hierarchies, own, infer_schema(own))
        lacking = [name for name in names if name not in trees]
        if lacking:
            raise ParameterError(
                f"Expected a hierarchy of {lacking[0]!r} for the hierarchical "
                "distance. Received none. Put its file in a folder, and name the "
                "folder by --hierarchies."
            )
        return privacy_options.models_along(along, sensitive, trees, frame)


@dataclass(frozen=True, kw_only=True)
class AskedRisk:
    """Whether the risk of each record is measured, and what is known of others."""

    risk: Annotated[
        bool,
        typer.Option(
            "--risk",
            help="Estimate the risk that each row is found, in the --population, by "
            "--weights or by --sampling-fraction, and print the rows with the largest "
            "risks. It also works on a table before its release. It is about real "
            "rows: do not publish it.",
            rich_help_panel=_PANEL,
        ),
    ] = False
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column of survey weights: how many people each row stands for.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    worst: Annotated[
        int,
        typer.Option(
            min=0,
            help="Number of rows with the largest risks to print, by row number.",
            rich_help_panel=_PANEL,
        ),
    ] = 10
    risk_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the risk of every row to this CSV file, which is as "
            "confidential as the table.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def check(self, chosen, force, inputs, output):
        """Refuse what has no use without --risk, and a file that cannot be written."""
        own = {"weights", "worst", "risk_file"} & {*chosen}
        if own and not self.risk:
            raise ParameterError(
                "Expected --risk beside options that belong to it. Received "
                f"{', '.join(sorted(chosen[name] for name in own))} without it. Add "
                "--risk, or leave them out."
            )
        if self.risk_file is not None:
            inputs = (*inputs, output)
            check_output(self.risk_file, force, inputs=inputs, is_table=None)
            if output and os.path.abspath(output) == os.path.abspath(self.risk_file):
                raise ParameterError(
                    "Expected a file of its own for the risk of every row, which is "
                    f"confidential. Received {str(output)!r} for it and for -o. "
                    "Choose another name."
                )

    def measure(self, frame, population, asked):
        """The risk of each row of a table."""
        names = split_names(asked.qi, frame.columns)
        marked = None
        if asked.suppressed is not None:
            marked = (frame[names] == asked.suppressed).all(axis=1).to_numpy()
        return record_risk(
            frame,
            names,
            weights=self.weights,
            sampling_fraction=asked.sampling_fraction,
            population=population,
            person_id=asked.person_id,
            household_id=asked.household_id,
            suppressed=marked,
        )


def _published(path):
    """The table of a file, with its labels where they are beside it."""
    is_labelled = os.path.exists(sidecar_path(path))
    return GeneralizedTable.load(path) if is_labelled else read_as_is(path)


def _columns(table):
    return table.order if isinstance(table, GeneralizedTable) else table.columns


def _refuse_others(chosen):
    """Refuse options that are not of two releases."""
    for argument, option in chosen.items():
        if argument not in _OF_BOTH:
            raise ParameterError(
                "Expected --qi, --sensitive and --k alone when two releases are "
                f"checked together. Received {option}, which is for one release. "
                "Leave it out, or check each release by itself."
            )


def with_orders(frame, orders):
    """The table with columns of texts in the orders that are told.

    Parameters
    ----------
    frame : DataFrame
    orders : sequence of str
        As ``size=small,medium,large``.

    Raises
    ------
    ParameterError
        If a text does not read, names a column that is unknown or has an order of its
        own, or leaves out one of its values.
    """
    for text in orders:
        name, _, listed = text.partition("=")
        held = frame[name].dropna() if name in frame.columns else ()
        values = split_names([listed], map(str, held))
        if name not in frame.columns or "" in values or len({*values}) < len(values):
            raise ParameterError(
                "Expected a column and its values in order, such as "
                f"size=small,medium,large. Received {text!r}. Name one of the columns "
                f"{', '.join(map(repr, frame.columns))}, and each value once."
            )
        if pd.api.types.is_numeric_dtype(held):
            raise ParameterError(
                f"Expected an order for a column of texts. Received one for {name!r}, "
                "which holds numbers: these have an order already. Leave it out."
            )
        odd = next((value for value in held if value not in values), None)
        if odd is not None:
            raise ParameterError(
                f"Expected all values of {name!r} in their order. Received "
                f"{', '.join(map(repr, values))} without {odd!r}. List it too."
            )
        kept = pd.CategoricalDtype(values, ordered=True)
        frame = frame.assign(**{name: frame[name].astype(kept)})
    return frame


@command
def check(
    released: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASED", help="CSV (also .gz, .tsv) or Parquet file."
        ),
    ],
    context: typer.Context,
    asked: Asked,
    risked: AskedRisk,
    other: Annotated[
        Path | None,
        typer.Argument(
            metavar="[OTHER]",
            help="A second release of people who may be in both, to measure what the "
            "two give away together.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also write the JSON object to this file.",
        ),
    ] = None,
    json_: options.Json = False,
    force: options.Force = False,
):
    """Measure a released table, whoever made it, under the privacy models.

    Rows that are equal in all quasi-identifiers form a class. The command prints the
    sizes of the classes, and for each sensitive column how diverse it is in them (l)
    and how close to the whole table (t). The results are about this table and these
    quasi-identifiers only. If persons have several rows, a check without --person-id
    makes the table seem safer than it is.

    With OTHER, it measures what is left of k for people who are in both releases. Rows
    may be joined by their place, linked by columns that both release unchanged, or
    found by what one has and the other lacks. Both are read with the labels beside
    them; for a table without labels, --qi names the generalised columns. By default the
    smaller k of the two is required.

    --risk estimates how likely it is that somebody who knows the quasi-identifiers
    finds each row, from the number of people of the population who match it. This
    number is known, or estimated by survey weights (Benedetti and Franconi) or by a
    log-linear model. Row numbers, from 1, appear only on the console and in
    --risk-file:
    coclust-synth check people.csv --qi age,sex --risk --sampling-fraction 0.01

    The exit code is 0 if every requested model holds, or none is requested; 1 if one
    does not hold, or fewer than k rows are left of two releases; 2 for an error.

    Example: coclust-synth check released.csv --qi age,sex --k 10
    """
    inputs, chosen = (released, other, asked.population), chosen_options(context, check)
    if output is not None:
        check_output(output, force, inputs=inputs, is_table=False)
    risked.check(chosen, force, inputs, output)
    risk = None
    if other is None:
        tables = asked.read(released)
        found = asked.check(*tables, risk=risked.risk)
        facts = privacy_check_facts(found) | {"counted": asked.counted(released)}
        if risked.risk:
            risk = risked.measure(*tables, asked)
            facts["risk"] = record_risk_facts(risk)
    else:
        _refuse_others(chosen)
        found = asked.check_both(released, other)
        facts = two_releases_facts(found)
    text = json.dumps(facts, ensure_ascii=False, allow_nan=False)
    files = {} if output is None else {output: f"{text}\n".encode()}
    if risked.risk_file is not None:
        files[risked.risk_file] = risk.worst().to_csv(index=False).encode()
    if files:
        write_files(files)
    if json_:
        print(text)
    elif other is None:
        print_privacy_check(found, source=str(released))
        if facts["counted"] == ROWS:
            print(_ROWS_OF_PERSONS)
        if risk is not None:
            print_record_risk(risk, risked.worst)
    else:
        print_two_releases(found, sources=(str(released), str(other)))
    if not found.holds:
        raise typer.Exit(_FAILS)
