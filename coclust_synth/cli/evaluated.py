"""The folder of an evaluation, which `evaluate` writes, and commands with --report.

What measures and draws is imported where a report is asked for: it takes longer than
many a release.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from coclust_synth.cli import options
from coclust_synth.cli.tables import (
    LABELS,
    MANIFEST,
    STATEMENT,
    TRANSITIONS,
    beside,
    check_output_folder,
)
from coclust_synth.exceptions import OutputError, ParameterError
from coclust_synth.reports.console import step_progress
from coclust_synth.tables.files import atomic_folder

JSON, CSV, PAGE = "evaluation.json", "evaluation.csv", "report.html"


class Written(NamedTuple):
    """A release as it was written.

    Attributes
    ----------
    path : Path
        Its name is told.
    manifest : dict or None
    warnings : tuple of str, default=()
        That come before those of the evaluation.
    """

    path: Path
    manifest: dict | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reported:
    """Whether a release is evaluated as soon as it is made, and against what."""

    report: options.Report = None
    holdout: options.Holdout = None

    @property
    def is_asked(self):
        """Whether there is a folder to write."""
        return self.report is not None

    @property
    def needs_report(self):
        """Options that are chosen and for a report only."""
        return ["--holdout"] if self.holdout is not None else []

    def check(self, force, *, inputs, output):
        """Refuse, before any work, what cannot be written, or would replace a release.

        Parameters
        ----------
        force : bool
        inputs : iterable of Path or None
            What the command reads.
        output : Path
            Of the released table.
        """
        if self.is_asked:
            _check_apart(self.report, output)
            check_evaluated(self.report, force, inputs=(*inputs, self.holdout))
        elif self.needs_report:
            raise ParameterError(
                f"Expected {' and '.join(self.needs_report)} with --report. Received "
                "no --report. Name a folder by --report, or leave "
                f"{' and '.join(self.needs_report)} out."
            )

    def check_holdout(self, real, holdout):
        """Refuse, before a release is made, a holdout that it cannot be held against.

        Parameters
        ----------
        real : Table
        holdout : DataFrame, Path, Table or None
        """
        if self.is_asked and holdout is not None:
            from coclust_synth.evaluation.evaluating import check_against_holdout

            check_against_holdout(real, holdout)

    def write(self, tables, written, *, seed, shown, sections=(), **known):
        """Evaluate a release that was written.

        Parameters
        ----------
        tables : tuple of three
            The real one, the release, and the holdout or None; as of `evaluate`.
        written : Written
        seed : int
        shown : bool
            Whether there is a progress bar.
        sections
            As of `write_evaluated`.
        **known
            ``hierarchies``, ``perturbed``, ``scenario``, ``k`` or
            ``of_centres``, as of `evaluate`.
        """
        from coclust_synth.evaluation.evaluating import evaluate

        with step_progress(enabled=shown) as callback:
            found = evaluate(*tables, random_state=seed, callback=callback, **known)
        write_evaluated(self.report, found, written, sections)


@dataclass(frozen=True, kw_only=True)
class ReportedAlongK(Reported):
    """The same of a release that has a k."""

    trade_off: options.TradeOff = False

    @property
    def needs_report(self):
        """Options that are chosen and for a report only."""
        return [*super().needs_report, *(["--trade-off"] if self.trade_off else [])]


def _check_apart(folder, output):
    """Refuse a folder that would replace a released table, or what tells of it."""
    endings = LABELS, MANIFEST, STATEMENT, TRANSITIONS
    written = [output, *(beside(output, ending) for ending in endings)]
    if os.path.realpath(folder) in map(os.path.realpath, written):
        raise OutputError(
            "Expected a folder for the report that is no file of the release. "
            f"Received {str(folder)!r}, to which the release is written. Choose "
            "another folder."
        )


def check_evaluated(folder, force, *, inputs):
    """Refuse, before any work, a folder that the files cannot be written to."""
    check_output_folder(folder, force, {JSON, CSV, PAGE}.__contains__, inputs=inputs)


def write_evaluated(folder, found, written, sections=()):
    """Write the page and the figures of an evaluation.

    Parameters
    ----------
    folder : Path
    found : Evaluation
    written : Written
    sections : iterable of Section
        What else the page tells.
    """
    from coclust_synth.reports.html.evaluation_files import (
        evaluation_csv,
        evaluation_json,
    )
    from coclust_synth.reports.html.headline import story
    from coclust_synth.reports.html.page import evaluation_page

    told = story(written.path.name, found.facts, written.manifest, written.warnings)
    files = {
        JSON: evaluation_json(found, told),
        CSV: evaluation_csv(found),
        PAGE: evaluation_page(found, told, tuple(sections)).encode(),
    }
    with atomic_folder(folder) as new:
        for name, content in files.items():
            (new / name).write_bytes(content)
