"""What a release of new rows under earlier labels says of itself."""

from coclust_synth.generators.kanon.new_rows import NewRows
from coclust_synth.reports.k_anonymity import (
    counted_by_persons,
    not_protected,
    of_replaced_values,
)

_OF_BATCHES = (
    "Who is in the earlier release too, or in another batch, is in two classes, which "
    "can have fewer than k in common."
)


def batch_not_protected(of_persons: bool = False) -> tuple[str, ...]:
    """What a batch of new rows, or of rows of persons, does not protect."""
    return (*not_protected(0, of_persons=of_persons), _OF_BATCHES)


def batch_facts(batch: NewRows, k: int, **more):
    """Facts of a batch of new rows, JSON compatible.

    Parameters
    ----------
    batch : NewRows
    k : int
        That was asked.
    **more
        Further facts, added at the end.

    Returns
    -------
    dict
        ``rows`` that were given, ``released_rows``, ``held_back_rows``, how many
        ``classes`` got some, and the fewest new individuals of one beside k. What was
        held back is about the real rows, and in no file.
    """
    return {
        "rows": len(batch.classes),
        "released_rows": batch.release.n_rows,
        "held_back_rows": batch.n_held_back,
        "classes": len(batch.release.class_sizes),
        "k": {"asked": k, "reached": batch.smallest},
        **more,
    }


def batch_statement(batch: NewRows, asked) -> str:
    """What a batch of new rows promises, in a few sentences.

    Parameters
    ----------
    batch : NewRows
    asked : mapping
        ``models``, each its column or None and its text, ``sensitive_values``, and
        ``person_id`` or None.
    """
    names = ", ".join(batch.release.names)
    of = "rows" if asked["person_id"] is None else "persons"
    text = (
        f"k-anonymity with k = {batch.smallest} of these {of} alone, under the "
        f"quasi-identifiers {names}: every class has as many that read the same in "
        "them, so whoever tells them from those of the earlier release still has as "
        "many to choose from."
    )
    models = "; ".join(model for _, model in asked["models"])
    if models:
        text += f" Asked for besides, of these alone: {models}."
        of_persons = asked["person_id"] is not None
        text += counted_by_persons() if of_persons else ""
        text += of_replaced_values(asked["sensitive_values"], of_persons)
    return (
        f"{text} It rests on nobody being in both releases. What a class shares, other "
        "columns, and other releases about the same people are not covered."
    )
