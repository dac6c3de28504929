"""The risk of the records of a table, for people and for machines."""

from typing import Any

from coclust_synth.evaluation.risk.records import RecordRisk
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
