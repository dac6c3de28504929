"""What a run that released perturbed values says of itself."""

import json
import shlex

import numpy as np

from coclust_synth.evaluation.risk.perturbed import compare_perturbed
from coclust_synth.reports.console import one_line, print_facts, print_table
from coclust_synth.tables.values.numbers import numbers_of, origin_of

STATEMENT = (
    "No k-anonymity and no differential privacy: rows are those of the real table, "
    "and whoever knows other columns of a row finds it. {} Nothing bounds what else "
    "is revealed."
)

# As docs/perturbation.md says it; the last is of rows in the order of the table.
_NOT_PROTECTED = (
    "Rows are those of real people, and columns that are not changed are as they are: "
    "whoever knows some of them finds the row.",
    "A changed value can be the true one, or near it. The summary, which is about the "
    "real rows, says how often.",
    "Whoever knows the seed can undo most of what was done.",
)
_IN_ORDER = (
    "Rows are in the order of the table: whoever knows the place of a row there finds "
    "it."
)


def not_protected(*, in_order):
    """What a table of perturbed values does not protect, in a few sentences."""
    return (*_NOT_PROTECTED, *[_IN_ORDER] * in_order)


def perturbed_facts(real, released, columns, applied, **more):
    """Facts of a table of perturbed values, JSON compatible.

    Parameters
    ----------
    real, released : DataFrame
        In the same order.
    columns : sequence of Column
        Those that are released.
    applied : mapping of str to Perturbation
        Fitted, by the name of the method.
    **more
        Further facts, added at the end.

    Returns
    -------
    dict
        For each changed column under ``changed`` the method, the share of ``cells``
        that are otherwise and the ``total_variation`` of its distribution; the
        ``interval_disclosure`` and the information loss ``il1s`` of numbers; of noise
        how many numbers are ``beyond_range`` of the column, ``below_zero`` where none
        was, and are no zeros any more where most are (``zeros_changed``); of PRAM
        the chance that a value read is the true one, of the value where it is least and
        where it is largest; of slicing the mean and the largest share of a bucket that
        has the values of a row.
        ``linked_rows`` are the share found by the true values of the changed columns,
        beside ``by_chance``. All of it is about the real rows.
    """
    names = [name for own in applied.values() for name in own.columns]
    found = compare_perturbed(real, released, columns, names)
    method_of = {name: how for how, own in applied.items() for name in own.columns}
    changed = {}
    for own in found.columns:
        facts = {
            "method": method_of[own.name],
            "cells": own.changed,
            "total_variation": own.total_variation,
            "interval_disclosure": own.interval_disclosure,
            "il1s": own.il1s,
        }
        transition = transitions_of(applied).get(own.name)
        if transition is not None:
            chances = transition.true_given_released
            facts["true_given_released"] = [float(chances.min()), float(chances.max())]
        matched = getattr(applied.get("slice"), "true_in_bucket_", {}).get(own.name)
        if matched is not None:
            facts["true_in_bucket"] = [float(matched.mean()), float(matched.max())]
        if method_of[own.name] == "noise":
            column = next(c for c in columns if c.name == own.name)
            facts |= _beyond(real[own.name], released[own.name], column)
        changed[own.name] = {n: fact for n, fact in facts.items() if fact is not None}
    return {
        "rows": len(real),
        "changed": changed,
        "linked_rows": found.linked,
        "by_chance": found.by_chance,
        "pair_distance": found.pair_distance,
        "correlation_error": found.correlation_error,
        **more,
    }


def _beyond(real, released, column):
    """How many numbers with noise the column could not have; where none is, None."""
    origin = origin_of(real, column)
    true, noisy = (numbers_of(own, column, origin) for own in (real, released))
    if np.isnan(true).all():
        return {}
    low, high, zero = np.nanmin(true), np.nanmax(true), float(-origin)
    zeros = true == zero
    is_mostly_zero = zeros.sum() > 0.5 * np.isfinite(true).sum()
    found = {
        "beyond_range": int(((noisy < low) | (noisy > high)).sum()),
        "below_zero": int((noisy < zero).sum()) if low >= zero else 0,
        "zeros_changed": int((noisy[zeros] != zero).sum()) if is_mostly_zero else 0,
    }
    return {name: n or None for name, n in found.items()}


def print_perturbed(facts):
    """Print `perturbed_facts` for people."""
    apart = ("changed", "undone_by")  # a table, and a warning
    print_facts({name: fact for name, fact in facts.items() if name not in apart})
    rows = []
    for name, own in facts["changed"].items():
        rows.append(
            (
                *(name, own["method"], f"{own['cells']:.4f}"),
                f"{own['total_variation']:.4f}",
                _number(own.get("interval_disclosure")),
                _number(own.get("il1s")),
                _range(own.get("true_given_released")),
                _range(own.get("true_in_bucket")),
            )
        )
    print_table(
        (
            *(
                "changed",
                "by",
                "cells",
                "total variation",
                "interval disclosure",
                "il1s",
            ),
            *("true if read", "true in bucket"),
        ),
        rows,
    )
    for name, own in facts["changed"].items():
        _print_beyond(name, own)


def _print_beyond(name, own):
    """Print what numbers with noise cannot be in their column, and what to do."""
    words = {
        "beyond_range": "numbers beyond the range of the column",
        "below_zero": "numbers below zero where none was",
        "zeros_changed": "former zeros that are other numbers now",
    }
    told = [f"{own[fact]:,} {words[fact]}" for fact in words if fact in own]
    if told:
        print(
            f"{one_line(name)}: with noise there are {', '.join(told)}. Choose a "
            f"smaller --share, or --swap {shlex.quote(one_line(name))}, which gives "
            "each row a value that the column has."
        )


def _range(chances):
    return "-" if chances is None else "{:.4f} to {:.4f}".format(*chances)


def _number(value):
    return "-" if value is None else f"{value:.4f}"


def transitions_of(applied):
    """The transition matrices of the methods that have some, by column."""
    return {
        name: transition
        for own in applied.values()
        for name, transition in getattr(own, "transitions_", {}).items()
    }


def transitions_bytes(transitions):
    """The file of the matrices that values were drawn by."""
    content = {
        "format": "coclust_synth transition matrices",
        "format_version": 1,
        "columns": {name: own.to_dict() for name, own in transitions.items()},
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def perturbed_statement(applied):
    """What a table of perturbed values promises, in a few sentences.

    Parameters
    ----------
    applied : mapping of str to Perturbation
    """
    said = {
        "pram": "Values of {} are drawn anew by the transition matrices beside it.",
        "swap": "Values of {} are swapped with others of near rank.",
        "noise": "Numbers of {} have noise that bounds nothing.",
        "means": "Numbers of {} are means of groups of near ones.",
        "slice": "Values of {} are shuffled among near rows.",
    }
    texts = [said[how].format(", ".join(own.columns)) for how, own in applied.items()]
    return STATEMENT.format(" ".join(texts))
