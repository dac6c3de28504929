"""A check of a released table, for people and for machines."""

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from coclust_synth.evaluation.checking.households import HouseholdRisk
from coclust_synth.evaluation.checking.privacy_result import PrivacyCheck
from coclust_synth.evaluation.risk.records import RecordRisk
from coclust_synth.evaluation.risk.two_releases import TwoReleases
from coclust_synth.privacy.models.presence import Sampled
from coclust_synth.reports.console import one_line, print_facts, print_table
from coclust_synth.tables.literals import encode

_N_AT_RISK = 10  # classes that are printed

# Classes of 1, 2, 3, 4, 5 to 9, 10 to 19, 20 to 49, 50 to 99, 100 to 199, ...
_FIRST_SIZES = (1, 2, 3, 4)


def privacy_check_facts(check: PrivacyCheck) -> dict:
    """What a check found, JSON compatible.

    Parameters
    ----------
    check : PrivacyCheck

    Returns
    -------
    dict
        ``rows``, ``suppressed``, ``classes``, ``k``, ... , ``class_sizes`` (how many
        classes there are of each size, and rows in them), ``sensitive`` (one entry a
        column), ``models`` (what was asked for), ``holds`` (None if nothing was) and
        ``classes_at_risk``. ``k`` is of persons where a column names them, ``persons``
        in all and ``smallest_class_persons``, beside the rows of the
        ``smallest_class``; ``class_sizes`` are of rows. ``households`` has their risk.
        What is infinite or was not measured is None.
    """
    return {
        "rows": check.n_rows,
        "persons": check.n_persons,
        "suppressed": check.n_suppressed,
        "completeness": check.completeness,
        "quasi_identifiers": list(check.quasi_identifiers),
        "classes": len(check.sizes),
        "k": check.k,
        "smallest_class": check.smallest_class,
        "smallest_class_persons": check.smallest_class_persons,
        "unique_share": check.unique_share,
        "c_avg": check.c_avg,
        "discernibility": check.discernibility,
        "share_released": None if check.presence is None else list(check.presence),
        "households": None if check.households is None else asdict(check.households),
        "class_sizes": _class_sizes(check.sizes),
        "sensitive": [_sensitive_facts(column) for column in check.sensitive],
        "models": [
            {
                "model": str(asked.model),
                "column": asked.column,
                "measure": asked.model.measure,
                "worst": _finite(asked.worst),
                "reachable": _finite(asked.reachable),
                "failing_classes": asked.n_failing,
                "holds": asked.holds,
            }
            for asked in check.models
        ],
        "holds": check.holds if check.models else None,
        "classes_at_risk": [
            {
                "labels": dict(
                    zip(check.quasi_identifiers, map(_label, risk.labels), strict=True)
                ),
                "size": risk.size,
                "persons": risk.persons,
                "reasons": list(risk.reasons),
            }
            for risk in check.at_risk
        ],
    }


def print_privacy_check(check: PrivacyCheck, *, source: str) -> None:
    """Print what a check found, and what it is about.

    Parameters
    ----------
    check : PrivacyCheck
    source : str
        Where the table came from.
    """
    facts = privacy_check_facts(check)
    names = ", ".join(check.quasi_identifiers)
    print(one_line(f"{source}: equivalence classes of {names}"))
    shown: tuple[str, ...] = (
        "rows",
        "persons",
        "suppressed",
        "completeness",
        "classes",
        "k",
    )
    if check.persons is not None:
        shown += ("smallest_class", "smallest_class_persons")
    shown += ("unique_share", "c_avg", "discernibility")
    figures = {name: facts[name] for name in shown}
    if check.presence is not None:
        figures["share_released"] = "{:.4f} to {:.4f}".format(*check.presence)
    if check.households is not None:
        figures |= _household_figures(check.households)
    print_facts(figures)
    print_table(
        ("class size", "classes", "rows"),
        [
            (
                _range(step["from"], step["to"]),
                f"{step['classes']:,}",
                f"{step['rows']:,}",
            )
            for step in facts["class_sizes"]
        ],
    )
    if check.sensitive:
        _print_sensitive(check.sensitive)
    if check.models:
        _print_models(check.models)
    if check.at_risk:
        _print_at_risk(check)
    if any(isinstance(asked.model, Sampled) for asked in check.models):
        print(
            "The number of people of each class is estimated from its rows, as if "
            "everybody in the population were equally likely to be in the table. "
            "This is no guarantee, and does not hold for stratified or clustered "
            "samples."
        )
    print(
        "These figures are about this table alone. k, l and t protect against "
        "linkage by the quasi-identifiers named above, and against nothing else: "
        "neither against linkage by other columns or tables about the same people, "
        "nor against what is true of everybody."
    )


# --- facts ----------------------------------------------------------------------


def _sensitive_facts(column) -> dict:
    return {
        "name": column.name,
        "values": column.n_values,
        "distinct_l": column.distinct_l,
        "entropy_l": column.entropy_l,
        "recursive_c": {str(n): _finite(c) for n, c in column.recursive_c.items()},
        "t_equal": column.t_equal,
        "t_ordered": column.t_ordered,
        "largest_share": column.largest_share,
        "a_know": column.a_know,
    }


def _class_sizes(sizes: np.ndarray) -> list[dict[str, int]]:
    """Classes and rows in each range of sizes that has some."""
    steps = list(_FIRST_SIZES)
    while steps[-1] <= sizes.max():
        power = 10 ** len(steps[4::3])
        steps += [s * power for s in (5, 10, 20)]
    of = np.searchsorted(steps, sizes, side="right") - 1
    classes = np.bincount(of, minlength=len(steps))
    rows = np.bincount(of, weights=sizes, minlength=len(steps)).astype(np.int64)
    return [
        {
            "from": steps[i],
            "to": steps[i + 1] - 1,
            "classes": int(classes[i]),
            "rows": int(rows[i]),
        }
        for i in np.flatnonzero(classes)
    ]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _label(value: Any) -> Any:
    if value is None or value is pd.NA or value != value:
        return None
    # JSON has no infinity.
    is_infinite = isinstance(value, float) and math.isinf(value)
    return str(value) if is_infinite else encode(value)


# --- printing -------------------------------------------------------------------


def _household_figures(risk: HouseholdRisk) -> dict[str, Any]:
    return {
        "households": risk.n_households,
        "smallest_class_households": risk.smallest_class,
        "rows_in_classes_of_fewer_than_k_households": risk.share_below,
        "household_risk": f"{risk.mean:.4f} on average, {risk.largest:.4f} at most",
        "households_found": risk.expected,
    }


def _print_sensitive(columns) -> None:
    ls = sorted({n for column in columns for n in column.recursive_c})
    print_table(
        (
            *("sensitive", "values", "distinct l", "entropy l"),
            *(f"c (l = {n})" for n in ls),
            *("t equal", "t ordered", "largest share", "A_know"),
        ),
        [
            (
                *(column.name, f"{column.n_values:,}", column.distinct_l),
                _number(column.entropy_l),
                *(_number(column.recursive_c.get(n)) for n in ls),
                *(_number(column.t_equal), _number(column.t_ordered)),
                *(_number(column.largest_share), _number(column.a_know)),
            )
            for column in columns
        ],
    )


def _print_models(models) -> None:
    print_table(
        ("asked", "column", "worst class", "whole table", "classes failing", "holds"),
        [
            (
                asked.model,
                asked.column or "-",
                f"{asked.model.measure} = {_number(asked.worst)}",
                _number(asked.reachable),
                f"{asked.n_failing:,}",
                "yes" if asked.holds else "NO",
            )
            for asked in models
        ],
    )


def _print_at_risk(check: PrivacyCheck) -> None:
    n_risks = len(check.at_risk)
    title = f"classes at risk: {n_risks:,}"
    if n_risks > _N_AT_RISK:
        title += f", the {_N_AT_RISK} smallest"
    by_person = check.persons is not None
    print_table(
        (
            *check.quasi_identifiers,
            "rows",
            *(["persons"] if by_person else []),
            "fails",
        ),
        [
            (
                *(*risk.labels, f"{risk.size:,}"),
                *([f"{risk.persons:,}"] if by_person else []),
                "; ".join(risk.reasons),
            )
            for risk in check.at_risk[:_N_AT_RISK]
        ],
        title=title,
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.4f}".rstrip("0").rstrip(".")


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def record_risk_facts(risk: RecordRisk) -> dict[str, Any]:
    """The figures of the risk of all records, JSON compatible; it names none of them.

    Parameters
    ----------
    risk : RecordRisk

    Returns
    -------
    dict
        ``estimated_by``, ``individuals``, ``mean``, ``largest``, ``at_risk`` (share
        above .2), ``expected_found``, ``uniques``, ``uniques_at_large``,
        ``population_uniques``, ``k_map`` and ``households``.
    """
    homes = risk.households
    return {
        "estimated_by": risk.estimated_by,
        "individuals": risk.n_individuals,
        "mean": risk.mean,
        "largest": risk.largest,
        "at_risk": risk.at_risk,
        "expected_found": risk.expected,
        "uniques": risk.uniques,
        "uniques_at_large": risk.uniques_at_large,
        "population_uniques": risk.population_uniques,
        "k_map": risk.k_map,
        "households": None if homes is None else homes._asdict(),
    }


# Names of shares and means, beside those of counts.
_PRINTED = {
    "mean": "mean_risk",
    "largest": "largest_risk",
    "at_risk": "share_at_a_risk_above_.2",
    "uniques_at_large": "share_of_uniques_unique_in_the_population",
    "population_uniques": "share_of_the_population_unique_in_it",
    "k_map": "fewest_people_of_a_class_(k-map)",
}


def _count(number):
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def print_record_risk(risk: RecordRisk, n_worst: int) -> None:
    """Print the figures, and the rows of the largest risks by their number.

    Parameters
    ----------
    risk : RecordRisk
    n_worst : int
    """
    facts = record_risk_facts(risk)
    homes = facts.pop("households")
    if homes is not None:
        facts["households_found"] = (
            f"{homes['expected']:,.1f} of {homes['n']:,}, {homes['mean']:.4f} on "
            f"average, {homes['largest']:.4f} at most"
        )
    for name in ("expected_found", "uniques"):
        facts[name] = f"{_count(facts[name])} of {risk.n_individuals:,}"
    print("Risk of records")
    print_facts({_PRINTED.get(name, name): own for name, own in facts.items()})
    if n_worst:
        print("Rows with the largest risks, numbered from 1. Do not publish these.")
        print_table(
            ("row", "alike in the table", "in the population", "risk"),
            [
                (f"{own.row:,}", f"{own.f:,}", f"{own.people:,.1f}", f"{own.risk:.4f}")
                for own in risk.worst(n_worst).itertuples()
            ],
        )


def two_releases_facts(check: TwoReleases) -> dict:
    """What a check of two releases found, JSON compatible.

    Parameters
    ----------
    check : TwoReleases

    Returns
    -------
    dict
        ``rows`` and ``k`` of each, ``asked`` and ``left`` of both together, ``attacks``
        and ``holds``.
    """
    return {
        "rows": list(check.n_rows),
        "k": list(check.k),
        "quasi_identifiers": list(check.quasi_identifiers),
        "linking": list(check.linking),
        "asked": check.asked,
        "left": check.left,
        "attacks": [own._asdict() for own in check.attacks],
        "values_left": check.values_left,
        "holds": check.holds,
    }


def print_two_releases(check: TwoReleases, *, sources: tuple[str, str]) -> None:
    """Print what a check of two releases found, and what it is about.

    Parameters
    ----------
    check : TwoReleases
    sources : (str, str)
        Where the tables came from.
    """
    print(f"{sources[0]} and {sources[1]}, of people who may be in both:")
    print_facts(
        {
            "rows": "{:,} and {:,}".format(*check.n_rows),
            "k": "{:,} and {:,}".format(*check.k),
            "linked_by": ", ".join(check.linking) or None,
            "asked_of_both": check.asked,
            "left_of_both": check.left,
            **{f"values_left_of_{name}": n for name, n in check.values_left.items()},
            "holds": "yes" if check.holds else "NO",
        }
    )
    print_table(
        ("attack", "rows left", "why"),
        [
            (own.name, "-" if own.left is None else f"{own.left:,}", own.why)
            for own in check.attacks
        ],
    )
    print(
        "Rows left: the smallest number of rows that an attacker, who has both "
        "tables and knows the quasi-identifiers, must consider for a person who is "
        "in both. Whether anybody is in both, the tables do not say. Other tables "
        "and columns are not considered."
    )
