"""Columns that lose rows of the values that several others exclude are drawn first.

A credit card that is held for twelve months has shares of months that are twelfths, one
that is held for eleven has elevenths. Five such shares that are drawn one after the
other, each from a leaf of both, agree on twelve months less often than those of the
table do, and no card of which one share is an eleventh is then left with twelve. Told
of the months first, each share is one of these. Which columns lose rows so is seen in
rows that are drawn once: where they do, trees are grown again, these columns first.
"""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.drawing.rows import Drawing
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.structured.targets.rated import with_rates
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.kept import Rules

# Share of the rows that a column loses, at least, of bins that fall short by more than
# so many standard deviations of rows that come by chance.
_MUCH, _DEVIATIONS = 0.05, 3.0
# Rows that are drawn to see it, at most.
_MOST_ROWS = 10_000


def learn_in_order(
    evidence: Evidence,
    rules: Rules,
    clusters: NDArray[np.int64],
    k: int,
    rng: np.random.Generator,
) -> Structure:
    """Grow a tree for each column of a table, in the order that keeps most rows.

    Parameters
    ----------
    evidence : Evidence
        Each row is an individual.
    rules : Rules
    clusters : ndarray of int64, shape (n,)
        Cluster of each individual, of k at least.
    k : int
        Individuals of each leaf, at least.
    rng : numpy.random.Generator
        Of the rows that are drawn to see what is lost.

    Returns
    -------
    Structure
    """
    told = evidence, with_rates(evidence, rules, k), clusters, k
    structure = learn_structure(*told)
    short = _short_of(structure, evidence, clusters, rng)
    losing = _losing(structure, short)
    if not losing:
        return structure
    names = evidence.coding.names
    first = learn_structure(*told, order=sorted(names, key=lambda n: n not in losing))
    again = _short_of(first, evidence, clusters, rng)
    return first if _lost(again) < _lost(short) else structure


def _short_of(structure, evidence, clusters, rng):
    """Of each column, rows that drawn bins fall short of, and those that are wanted.

    Two ndarrays of float64, shape (bins,), by column.
    """
    n, found = min(len(clusters), _MOST_ROWS), []
    some = np.linspace(0, len(clusters) - 1, n).astype(np.int64)
    drawing = Drawing(structure, np.sort(clusters)[some], rng)
    drawing.draw_once()
    for j, bins in enumerate(structure.bins):
        n_bins = int(bins.max(initial=0)) + 1
        wanted = np.bincount(evidence.bins[:, j], minlength=n_bins) * n / len(clusters)
        drawn = np.bincount(bins[drawing.codes[:, j]], minlength=n_bins)
        found.append((np.maximum(wanted - drawn, 0), wanted))
    return found


def _losing(structure, short):
    """Names of the columns that lose many rows, of those that trees alone tell."""
    names, rules, losing = structure.coding.names, structure.rules, []
    for drawn in structure.columns[1:]:
        missed, wanted = short[drawn.column]
        name, is_beyond = names[drawn.column], missed > _DEVIATIONS * np.sqrt(wanted)
        is_told = name in rules.told or drawn.equals is not None
        if not is_told and missed[is_beyond].sum() > _MUCH * wanted.sum():
            losing.append(name)
    return losing


def _lost(short):
    """Rows that all columns lose."""
    return sum(missed.sum() for missed, _ in short)
