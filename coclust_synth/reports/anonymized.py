"""What a run that released a k-anonymous table says of itself."""

from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.evaluation.losses import (
    average_class_size,
    discernability,
    information_loss,
)


def anonymized_facts(anonymizer, **more):
    """Facts of a released table and of what was done for it, JSON compatible.

    Parameters
    ----------
    anonymizer : HybridKAnonymizer or KAnonymizer
        Fitted.
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
        ``cut_short`` names what the time did not last for.
    """
    release, report = anonymizer.release_, anonymizer.report_
    roles = anonymizer.roles_
    smallest = int(min(release.kept_class_sizes, default=0))
    persons = report.smallest_class_persons
    return {
        "rows": release.n_rows,
        "persons": report.n_persons,
        "person_id": anonymizer.person_id,
        "quasi_identifiers": ", ".join(roles.quasi_identifiers),
        "sensitive": ", ".join(roles.sensitive) or None,
        "kept": ", ".join(roles.others) or None,
        "dropped": ", ".join(roles.dropped) or None,
        "k": {
            "asked": anonymizer.k,
            "reached": smallest if persons is None else persons,
        },
        "smallest_class": smallest,
        "smallest_class_persons": persons,
        "classes": len(release.class_sizes),
        "suppressed_rows": report.n_suppressed,
        "perturbed_rows": report.n_perturbed,
        "covered_cells": report.covered_cells,
        "information_loss": information_loss(release),
        "c_avg": average_class_size(release, anonymizer.k),
        "discernibility": int(discernability(release)),
        "cut_short": ", ".join(getattr(anonymizer, "cut_short_", ())) or None,
        **_of_recoding(anonymizer),
        **more,
    }


def _of_recoding(anonymizer):
    """What a search in the lattice of hierarchies found, and how far it proved it."""
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
