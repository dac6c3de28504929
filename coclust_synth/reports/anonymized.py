"""What a run that released a k-anonymous table says of itself."""

from itertools import accumulate
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd

from coclust_synth.baselines.cuts.anonymizer import CutAnonymizer
from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.baselines.mdav.anonymizer import is_of_centres
from coclust_synth.baselines.mondrian.anonymizer import MondrianAnonymizer
from coclust_synth.baselines.suppression.anonymizer import LocalSuppression
from coclust_synth.evaluation.distances.hellinger import mean_joint_hellinger
from coclust_synth.evaluation.generalisation.losses import (
    average_class_size,
    discernability,
    information_loss,
)
from coclust_synth.evaluation.risk.perturbed import interval_disclosure
from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.means import with_means
from coclust_synth.privacy.models.presence import PopulationModel
from coclust_synth.reports.k_anonymity import COUNTED, models_are_by_persons
from coclust_synth.tables.people.people import Persons, telling_columns
from coclust_synth.tables.people.roles import check_sensitive_values
from coclust_synth.tables.values.numbers import below_1, numbers_of, origin_of

_ADVICE = "try --method mondrian: under the same k and models it"
_MOST_SETS = 300  # of columns, whose joint distributions are compared
_MOST_NAMED = 5  # columns in a warning


def anonymized_facts(anonymizer, real, **more):
    """Facts of a released table and of what was done for it, JSON compatible.

    Parameters
    ----------
    anonymizer : HybridKAnonymizer or KAnonymizer
        Fitted.
    real : Table
        That it was fitted to.
    **more
        Further facts, added at the end.

    Returns
    -------
    dict
        ``k`` is that of the classes without the suppressed rows, which can be fewer; 0
        if all rows are suppressed. It is of persons where the rows are theirs:
        ``persons`` in all and ``smallest_class_persons``, both None otherwise, beside
        the rows of the ``smallest_class``. ``perturbed_rows`` have a value that their
        label does not stand for, and ``covered_cells`` is the share of cells whose
        label does stand for it: both, as all of this, are about the real rows.
        ``rows_of_one_value`` has, for each sensitive column, the rows of classes that
        all have one value of it, or, where the rows are persons', of classes of which
        each person has it in some row: who is known to be in one is known to have it.
        ``persons_of_one_value`` has the persons of these classes, None otherwise.
        ``models_counted`` says how the models were, where persons were counted.
        ``joint_hellinger`` is the mean distance between the joint distributions of the
        real and the released table, over all sets of 2 to 6 quasi-identifiers, of
        fewer where these are more than 300 sets; left out for one quasi-identifier.
        Where cells are centres of classes, ``information_loss`` is None, as they stand
        for one value each, and ``squared_error`` is the share SSE / SST of the squared
        differences of the numbers that is inside of classes (None without numbers):
        what means lose before they are rounded or rescaled.
        ``mondrian`` has both measures for that baseline under the same k and models
        (left out where it cannot have these), and ``advice`` says where it
        is the better choice.
        ``cut_short`` names what the time did not last for. ``means`` has, for each
        sensitive column that is released as means, the share of its variance that is
        kept and the `interval_disclosure` of its numbers. Of local suppression ``k``
        is that of the sets of keys that were asked for, and ``suppressed_cells``,
        ``suppressed_by_column`` and ``fewest_rows_that_fit_a_person`` are added.
    """
    release, report = anonymizer.release_, anonymizer.report_
    roles = anonymizer.roles_
    smallest = int(min(release.kept_class_sizes, default=0))
    persons = report.smallest_class_persons
    reached = smallest if persons is None else persons
    if isinstance(anonymizer, LocalSuppression):  # of the sets of keys that are asked
        reached = min(anonymizer.k_by_set_.values())
    return {
        "rows": release.n_rows,
        "persons": report.n_persons,
        "person_id": anonymizer.person_id,
        "quasi_identifiers": ", ".join(roles.quasi_identifiers),
        "sensitive": ", ".join(roles.sensitive) or None,
        "kept": ", ".join(roles.others) or None,
        "dropped": ", ".join(roles.dropped) or None,
        "k": {"asked": anonymizer.k, "reached": reached},
        "smallest_class": smallest,
        "smallest_class_persons": persons,
        "classes": len(release.kept_class_sizes),
        "suppressed_rows": report.n_suppressed,
        "perturbed_rows": report.n_perturbed,
        "covered_cells": report.covered_cells,
        **_in_common(anonymizer),
        "models_counted": COUNTED if models_are_by_persons(anonymizer) else None,
        **_of_centres(anonymizer),
        **_compared(anonymizer, real),
        "c_avg": average_class_size(release, anonymizer.k),
        "discernibility": int(discernability(release)),
        "cut_short": ", ".join(getattr(anonymizer, "cut_short_", ())) or None,
        **_of_recoding(anonymizer),
        **_of_suppression(anonymizer),
        **_of_means(anonymizer, real),
        **more,
    }


def _in_common(anonymizer):
    """By sensitive column the rows and persons of classes that have a value in common.

    None without such a column, and of persons where each row is one.
    """
    of_persons = anonymizer.report_.persons is not None
    found = {n: _of_one_value(anonymizer, n) for n in anonymizer.roles_.sensitive}
    return {
        "rows_of_one_value": {n: own.rows for n, own in found.items()} or None,
        "persons_of_one_value": (
            {n: own.individuals for n, own in found.items() if of_persons} or None
        ),
    }


def _of_means(anonymizer, real):
    """What the means of sensitive numbers keep and disclose, by column."""
    frame, schema = real
    how = check_sensitive_values(
        anonymizer.sensitive_values, anonymizer.roles_.sensitive, schema
    )
    names = [name for name, word in how.items() if word == "means"]
    if not names:
        return {}
    person = anonymizer.person_id
    persons = None if person is None else Persons.of(frame, person)
    released = with_means(frame, schema, how, anonymizer.k, persons)
    found = {}
    for name in names:
        origin = origin_of(frame[name], schema[name])
        pair = [
            numbers_of(own[name], schema[name], origin) for own in (frame, released)
        ]
        true, means = below_1(np.array(pair)[:, ~np.isnan(pair).any(axis=0)])[0]
        found[name] = {
            "variance_kept": float(means.var() / true.var()) if true.var() else 1.0,
            "interval_disclosure": interval_disclosure(true, means),
        }
    return {"means": found}


def _of_centres(anonymizer):
    """What centres lose, in place of what labels do."""
    if not is_of_centres(anonymizer):
        return {}
    return {"information_loss": None, "squared_error": anonymizer.squared_error_}


def _compared(anonymizer, real):
    """What the labels lose and how near they are, beside Mondrian's."""
    own = _measures(anonymizer, real)
    asked = getattr(anonymizer, "models", ())
    if isinstance(anonymizer, MondrianAnonymizer) or any(
        name is None and isinstance(model, PopulationModel) for name, model in asked
    ):
        return own
    roles = anonymizer.roles_
    mondrian = MondrianAnonymizer(
        anonymizer.k,
        quasi_identifiers=roles.quasi_identifiers,
        sensitive=roles.sensitive,
        models=asked,
        person_id=anonymizer.person_id,
    )
    try:
        theirs = _measures(mondrian.fit(real), real)
    except ParameterError:  # models that hold only where rows are suppressed
        return own
    words = {"information_loss": "loses less", "joint_hellinger": "is nearer"}
    better = [words[name] for name in own if theirs[name] < own[name]]
    advice = f"{_ADVICE} {' and '.join(better)}" if better else None
    return own | {"mondrian": theirs, "advice": advice}


def _measures(anonymizer, real):
    release, names = anonymizer.release_, anonymizer.roles_.quasi_identifiers
    found = {}
    if not is_of_centres(anonymizer):
        found["information_loss"] = information_loss(release)
    if len(names) > 1:
        found["joint_hellinger"] = mean_joint_hellinger(
            real.frame, release, _orders(len(names)), names
        )
    return found


def _orders(n_columns):
    """Sizes of the sets of columns that are compared, from 2."""
    sets = accumulate(comb(n_columns, order) for order in range(2, 7))
    many = [order for order, n in enumerate(sets, 2) if n <= _MOST_SETS]
    return range(2, min(max(many, default=2), n_columns) + 1)


def _of_recoding(anonymizer):
    """What a search in hierarchies found, and in their lattice how far it proved it."""
    if isinstance(anonymizer, CutAnonymizer):
        return {
            "target": anonymizer.target,
            "steps": len(anonymizer.steps_),
            "nodes": {name: len(cut) for name, cut in anonymizer.cuts_.items()},
        }
    if not isinstance(anonymizer, LatticeAnonymizer):
        return {}
    return {
        "metric": anonymizer.metric,
        "node": dict(
            zip(anonymizer.roles_.quasi_identifiers, anonymizer.node_, strict=True)
        ),
        "score": anonymizer.score_,
        "bound": anonymizer.bound_,
        "optimal": anonymizer.optimal_,
        "checks": anonymizer.checks_,
    }


def _of_suppression(anonymizer):
    """How many cells were suppressed, and whom the release leaves easy to find."""
    if not isinstance(anonymizer, LocalSuppression):
        return {}
    by_column = anonymizer.n_suppressed_
    return {
        "suppressed_cells": sum(by_column.values()),
        "suppressed_by_column": by_column,
        "suppressed_as": anonymizer.suppressed_as,
        "fewest_rows_that_fit_a_person": anonymizer.fewest_fitting_,
    }


def release_warnings(anonymizer):
    """What of a k-anonymous release whoever releases it must not overlook.

    Parameters
    ----------
    anonymizer : HybridKAnonymizer or KAnonymizer
        Fitted.

    Returns
    -------
    tuple of str
        About the release alone: columns that were kept and tell people apart, classes
        that share a sensitive value, suppressed rows.
    """
    release, of_rows = anonymizer.release_, anonymizer.report_.persons
    told = [
        *kept_column_warnings(
            release.others[list(anonymizer.roles_.others)],
            None if of_rows is None else of_rows.codes,
        )
    ]
    persons = anonymizer.report_.smallest_class_persons
    all_of, of = "rows have the same", "people"
    if persons is not None:
        all_of, of = "persons have the same value of", "persons"
    for name in anonymizer.roles_.sensitive:
        own = _of_one_value(anonymizer, name)
        if own.classes:
            told.append(
                f"In {own.classes:,} of {len(release.kept_class_sizes):,} classes all "
                f"{all_of} {name!r}. Whoever knows the quasi-identifiers of one of "
                f"the {own.individuals:,} {of} in them also knows this value, however "
                "large k is."
            )
    if persons is not None:
        told.append(
            f"Rows belong to persons: the smallest class has {persons:,} of them. The "
            "risks below are those of persons; losses, C_AVG and discernibility are "
            "those of rows."
        )
    n_suppressed = int(release.suppressed.sum())
    if n_suppressed:
        told.append(
            f"{n_suppressed:,} rows ({n_suppressed / release.n_rows:.1%}) are "
            "suppressed: their quasi-identifiers are hidden, their other columns are "
            "not."
        )
    return tuple(told)


def kept_column_warnings(kept, whose=None):
    """What of columns that are kept whoever releases them must not overlook.

    Parameters
    ----------
    kept : DataFrame
        Columns that are released as they are, neither labelled nor sensitive.
    whose : ndarray of int, optional
        The person of each row; by default each is one.

    Returns
    -------
    tuple of str
        At most one, of those in which most people have a value of their own.
    """
    most = telling_columns(kept, np.arange(len(kept)) if whose is None else whose)
    if not most:
        return ()
    named = [f"{name!r} ({share:.0%} of them)" for name, share in most.items()]
    more = len(named) - _MOST_NAMED
    if more > 0:
        named[_MOST_NAMED:] = [f"and {more} more"]
    return (
        "Some columns are kept as they are although most people have a value in them "
        f"that nobody else has: {', '.join(named)}. Whoever knows such a value finds "
        "the row, however large k is. k, the smallest class and the risks of being "
        "found are about the quasi-identifiers alone.",
    )


class _InCommon(NamedTuple):
    """Classes that have a value in common, their rows, and their rows or persons."""

    classes: int
    rows: int
    individuals: int


def _of_one_value(anonymizer, name):
    """Classes whose individuals all have one value of a column: who is in them has it.

    Persons have the values of their rows, as these are released. Where values were
    shuffled or drawn, they are no longer theirs: all rows must have the same one.
    """
    release, persons = anonymizer.release_, anonymizer.report_.persons
    how = anonymizer.sensitive_values
    how = how if isinstance(how, str) else how.get(name, "keep")
    kept = ~release.suppressed
    rows = pd.DataFrame({"class": release.class_codes[kept]})
    rows["value"], _ = pd.factorize(release.others[name][kept], use_na_sentinel=False)
    rows["whose"] = np.arange(len(rows))
    own = rows if persons is None else rows.assign(whose=persons.codes[kept])
    linked = own if how in ("keep", "means") else rows
    sizes = linked.groupby("class")["whose"].nunique()
    held = linked.groupby(["class", "value"])["whose"].nunique()
    is_one = held.groupby(level=0).max() == sizes
    found = own[own["class"].isin(is_one.index[is_one])]
    return _InCommon(int(is_one.sum()), len(found), found["whose"].nunique())
