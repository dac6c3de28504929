"""A check of two releases of overlapping people, for people and for machines."""

from coclust_synth.evaluation.risk.two_releases import TwoReleases
from coclust_synth.reports.console import print_facts, print_table


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
