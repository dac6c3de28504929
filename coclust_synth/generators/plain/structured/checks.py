"""Whether the pieces of a saved structure fit together, before kernels trust them."""

import numpy as np

from coclust_synth.generators.plain.structured.equal import Equal
from coclust_synth.tables.relations import Dependence, Nested, Never


def check(structure):
    """Raise a ValueError, with the name of a piece, unless all indices can be trusted.

    Parameters
    ----------
    structure : Structure
    """
    _check_clusters(structure)
    _check_asked(structure)
    _check_columns(structure)
    _check_bins(structure)
    _check_lookups(structure)


def _expect(is_sound, piece):
    if not is_sound:
        raise ValueError(piece)


def _check_clusters(structure):
    rows, merges = structure.cluster_rows, structure.cluster_merges
    _expect((rows >= 0).all() and rows.any(), "clusters")
    if merges is not None:
        made = np.arange(len(merges)) + len(rows)
        _expect(len(merges) == len(rows) - 1, "cluster_merges")
        each_once = np.sort(merges.ravel()) == np.arange(2 * len(merges))
        _expect(each_once.all() and (merges < made[:, None]).all(), "cluster_merges")


def _check_asked(structure):
    """Of what trees ask for, the columns."""
    columns = set(range(len(structure.coding.parts)))
    known = {own.column for own in structure.features}
    known |= {own.since for own in structure.features} - {None}
    equals = [own for own in structure.features if isinstance(own, Equal)]
    known |= {of for own in equals for of in (own.other, own.beside)} - {None}
    _expect(known <= columns, "features")
    ends = {end for own in structure.distances for end in (own.column, own.since)}
    _expect(ends <= _numbers(structure), "distances")
    ends = {end for own in structure.stayed for end in (own.column, own.since)}
    _expect(ends <= columns, "stayed")


def _numbers(structure):
    """Columns that rules compare."""
    scales = structure.scales
    return {j for j, name in enumerate(structure.coding.names) if name in scales}


def _check_columns(structure):
    """Each is drawn or given, and trees ask for what there is."""
    parts = structure.coding.parts
    asked = *structure.features, *structure.distances, *structure.stayed
    n_codes = [own.n_parts for own in parts]
    n_asked = [own.n_codes for own in asked]
    n_asked = [*n_codes, len(structure.cluster_rows), *n_asked]
    columns = [*(each.column for each in structure.columns), *structure.given]
    _expect(sorted(columns) == [*range(len(parts))], "columns")
    known = {*structure.given}
    for each in structure.columns:
        n_own = each.parts_of(parts[each.column]).n_parts
        each.tree.check(n_own + (each.equals is not None), n_asked)
        for other, says in each.told:
            is_sound = other in known and len(says) == n_codes[other]
            is_sound = is_sound and -1 <= min(says) and max(says) < n_own
            _expect(is_sound, "told")
        known.add(each.column)
        if each.expected is not None:
            each.expected.check(n_own, n_asked)
        if each.along is not None:
            each.along.check(len(each.tree.left), {*structure.scales})
        if each.inside is not None:
            each.inside.check(len(each.tree.left), _numbers(structure))
        for place, tree in each.parts:
            feature = structure.features[place]
            _expect(feature.column == each.column, "parts")
            tree.check(feature.n_codes, n_asked)


def _check_bins(structure):
    """Of each column, and what rules and clusters say of them."""
    bins, rules = structure.bins, structure.rules
    for of, parts in zip(bins, structure.coding.parts, strict=True):
        _expect(len(of) == parts.n_parts and (of >= 0).all(), "bins")
    about_values = [own for own in rules.relations if isinstance(own, Nested | Never)]
    _expect(len(about_values) == len(rules.combinations), "rules")
    drawn = {each.column for each in structure.columns}
    for j, may in structure.reach.items():
        n_bins = bins[j].max(initial=0) + 1 if j in drawn else 0
        _expect(may.shape == (len(structure.cluster_rows), n_bins), "reach")
    for rule in rules.combinations:
        sides = zip((rule.first, rule.second), rule.allowed.shape, strict=True)
        for side, n in sides:
            _expect(bins[side].max(initial=0) < n, "combinations")


def _check_lookups(structure):
    """Each dependence has one, of known codes."""
    coding, rules = structure.coding, structure.rules
    n_codes = dict(zip(coding.names, coding.n_parts_per_variable, strict=True))
    held = {(own.columns, own.target) for own in rules.lookups}
    dependences = {
        (each.parents, each.target)
        for each in rules.relations
        if isinstance(each, Dependence)
    }
    _expect(dependences <= held, "lookups")
    for own in rules.lookups:
        classes = () if own.limits is None else own.limits.classes
        told = np.concatenate([own.codes, *classes])
        sizes = np.array([n_codes[name] for name in own.columns])
        _expect(told.max(initial=0) < n_codes[own.target], "lookups")
        _expect((own.keys < sizes).all(), "lookups")
