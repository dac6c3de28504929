"""What a check tells of risks, for people and for machines.

The risk of the records of a table, and what two releases of overlapping people tell.
"""

from typing import Any

from coclust_synth.evaluation.risk.records import RecordRisk
from coclust_synth.evaluation.risk.two_releases import TwoReleases
from coclust_synth.reports.console import print_facts, print_table


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
    facts = {"at_risk_above_.2" if n == "at_risk" else n: f for n, f in facts.items()}
    print("Risk of records")
    print_facts(facts)
    if n_worst:
        print("Rows of the largest risks, numbered from 1: not to be published.")
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
        "Rows left are the fewest that somebody who is in both can be, for who knows "
        "the quasi-identifiers and has both tables. Whether anybody is, the tables do "
        "not tell; other tables and columns are not looked at."
    )
