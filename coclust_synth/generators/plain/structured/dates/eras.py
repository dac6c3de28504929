"""Columns of dates whose habits change: calendars of k individuals for each era."""

from dataclasses import replace
from typing import cast

import numpy as np

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.laws.eras import find_eras
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.parts.of_persons import counted_rows
from coclust_synth.tables.rules.evidence import Evidence


def with_eras(evidence: Evidence, k: int) -> Evidence:
    """A table whose dates have a calendar for each era in which habits are others.

    Parameters
    ----------
    evidence : Evidence
    k : int
        Individuals of an era, at least.

    Returns
    -------
    Evidence
        In the same codes.
    """
    parts = list(evidence.coding.parts)
    for j, name in enumerate(evidence.coding.names):
        if name in evidence.dates and isinstance(parts[j], AtomParts):
            parts[j] = _in_eras(parts[j], name, evidence, k)
    coding = replace(evidence.coding, parts=tuple(parts))
    return replace(evidence, coding=coding)


def _in_eras(atoms, name, evidence, k):
    """The atoms of a column of dates, with eras of those that lie in runs.

    Each date counts once for a person, as where the runs are learnt.
    """
    missing, persons = np.isnan(evidence.numbers[name]), evidence.persons
    codes = atoms.encode(evidence.values[name], missing)
    is_run = (atoms.lows < atoms.highs) & ~np.isin(
        np.arange(len(atoms.lows)), list(atoms.spreads)
    )
    rows = np.flatnonzero(np.append(is_run, False)[np.minimum(codes, len(is_run))])
    rows = rows[codes[rows] >= 0]
    if persons is not None:
        counted = counted_rows(evidence.values[name], missing, persons)
        rows = np.intersect1d(rows, counted)
    dates = evidence.values[name][rows]
    order = np.argsort(dates, kind="stable")
    rows, dates, codes = rows[order], dates[order], codes[rows[order]]
    who = None if evidence.who is None else evidence.who[rows]
    calendar = atoms.grains
    if not isinstance(calendar, Calendar):
        calendar = Calendar(cast(SteppedRuler, atoms.ruler))
    ends = atoms.lows[codes], atoms.highs[codes]
    eras = find_eras(calendar, dates, ends, who, k)
    return replace(atoms, grains=replace(calendar, eras=eras)) if eras else atoms
