"""`dp`: differentially private tables."""

import json
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from coclust_synth.baselines.private.independent import IndependentMargins
from coclust_synth.baselines.private.laplace import LaplaceHistogram
from coclust_synth.baselines.private.privbayes import PrivBayes
from coclust_synth.cli import options
from coclust_synth.cli.errors import clear_errors
from coclust_synth.cli.tables import MANIFEST, STATEMENT, beside, check_output
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.reports.console import print_facts
from coclust_synth.reports.private_release import (
    manifest_text,
    private_manifest,
    private_statement,
    told_releases,
)
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.files.outputs import write_files
from coclust_synth.tables.people.bounded import bound_rows
from coclust_synth.tables.reading.table import read_texts
from coclust_synth.tables.writing import released_bytes
from coclust_synth.validation import check_integer

_METHODS = {
    "dpcocgen": DPCocGen,
    "laplace": LaplaceHistogram,
    "privbayes": PrivBayes,
    "independent": IndependentMargins,
}


def dp(
    table: options.TableArgument,
    output: options.TableOutput,
    epsilon: Annotated[
        float,
        typer.Option(help="Privacy budget, above 0; there is no default."),
    ],
    domain: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Declared domain in TOML, which `domain` starts.",
            show_default=False,
        ),
    ] = None,
    domain_from_data: Annotated[
        bool,
        typer.Option(
            "--domain-from-data",
            help="Take the domain from the rows, for tests: the release is labelled as "
            "not differentially private.",
        ),
    ] = False,
    method: Annotated[
        Literal["dpcocgen", "laplace", "privbayes", "independent"],
        typer.Option(help="dpcocgen, or a baseline to compare it with."),
    ] = "dpcocgen",
    variant: Annotated[
        Literal["default", "thesis"],
        typer.Option(help="Of dpcocgen: thesis is the algorithm as first published."),
    ] = "default",
    neighbours: Annotated[
        Literal["add-remove", "replace"],
        typer.Option(help="What a person's change is; by replace the noise doubles."),
    ] = "add-remove",
    person_id: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column that names the person of each row; one row a person without.",
            show_default=False,
        ),
    ] = None,
    rows_per_person: Annotated[
        int,
        typer.Option(min=1, help="Rows of a person that are used, at most."),
    ] = 1,
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            "-n",
            help="Synthetic rows; by default the noisy number of the table's.",
            show_default=False,
        ),
    ] = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    bins: options.Bins = 10,
    seed: Annotated[str | None, typer.Option(hidden=True)] = None,
    json_: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
):
    """Release a differentially private synthetic table, with a statement to sign.

    Columns of the domain are released, others left out. Beside OUT are written
    NAME.manifest.json, what was spent on what, and NAME.statement.md, one page of it;
    with --force, they name the releases that are replaced, and add up their epsilons.
    Noise comes from the system's random bits: there is no seed, and two runs differ.
    """
    with clear_errors():
        start = time.perf_counter()
        if seed is not None:
            raise ParameterError(
                "Expected no seed: whoever knows it can take the noise away. Received "
                f"--seed {seed}. Leave it out."
            )
        if (domain is None) == (not domain_from_data):
            raise ParameterError(
                "Expected a declared domain, or --domain-from-data. Received "
                f"{'neither' if domain is None else 'both'}. Start one by "
                "`coclust-synth domain --new domain.toml --columns ...`."
            )
        if person_id is None and rows_per_person != 1:
            raise ParameterError(
                "Expected the column of the persons with rows_per_person. Received "
                f"{rows_per_person} without. Name it by --person-id."
            )
        if rows is not None:
            check_integer("the number of rows", rows, minimum=1)
        inputs = (table, domain)
        told = (MANIFEST, STATEMENT)
        check_output(output, force, inputs=inputs, replaces=told)
        manifest_path, statement_path = (beside(output, ending) for ending in told)
        for path in (manifest_path, statement_path):
            check_output(path, force, inputs=inputs, is_table=False)
        earlier = _told_by(manifest_path)
        if domain is None:
            texts = read_texts(table, delimiter=delimiter, encoding=encoding)
            texts = texts.drop(columns=[person_id or ""], errors="ignore")
            declared = draft_domain(texts, bins=bins).to_domain()
        else:
            declared = Domain.load(domain)
        if person_id in declared.names:
            raise ParameterError(
                "Expected a domain without the column of the persons: a list of them "
                f"says who is there. Received {person_id!r} in it. Leave it out."
            )
        names = (*declared.names, *([] if person_id is None else [person_id]))
        frame = read_texts(table, names, delimiter=delimiter, encoding=encoding)
        if person_id is not None:
            frame = bound_rows(frame, person_id, rows_per_person)
        options_of = {"variant": variant} if method == "dpcocgen" else {}
        generator = _METHODS[method](
            epsilon,
            declared,
            neighbours=neighbours,
            rows_per_person=rows_per_person,
            **options_of,
        ).fit(frame)
        released = generator.sample(rows)
        content = released_bytes(released, output, delimiter=delimiter or ",")
        manifest = private_manifest(generator, released, output.name, content, earlier)
        files = {
            output: content,
            manifest_path: manifest_text(manifest).encode(),
            statement_path: private_statement(manifest).encode(),
        }
        write_files(files)
        facts = {
            "statement": manifest["statement"],
            "rows": len(released),
            "columns": ", ".join(released.columns),
            "epsilon_spent": generator.ledger_.spent,
            "epsilon_with_earlier_releases": manifest["epsilon_total"],
            "looks_at_the_data": len(generator.ledger_.entries),
            "seconds": round(time.perf_counter() - start, 3),
            "output": str(output),
            "manifest": str(manifest_path),
        }
        if json_:
            print(json.dumps(facts, ensure_ascii=False))
        elif not quiet:
            print_facts(facts)


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
