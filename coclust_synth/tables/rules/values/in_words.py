"""Which values of two columns never meet, in words: those that most rows would have."""

import numpy as np

from coclust_synth.tables.labels import short_text
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import never_text
from coclust_synth.tables.rules.values.missing_together import missing_text
from coclust_synth.tables.values.dtypes import write_dates

_MAX_BESIDE = 3  # values inside of a range that are not of it, in a text


def said_of(combinations, evidence):
    """A rule that some bins of two columns never meet, in words.

    Runs of bins are one range, and ranges that most rows would have, were the columns
    independent, come first.

    Parameters
    ----------
    combinations : Combinations
    evidence : Evidence

    Returns
    -------
    str
    """
    if (text := missing_text(combinations, evidence)) is not None:
        return text
    columns = combinations.first, combinations.second
    never = ~combinations.allowed
    sides_of: dict[tuple[int, int], np.ndarray] = {}
    for a, row in enumerate(never):
        for run in _runs(row, columns[1], evidence):
            sides_of.setdefault(run, np.zeros(len(never), dtype=bool))[a] = True
    boxes = [
        (own, run)
        for run, side in sides_of.items()
        for own in _runs(side, columns[0], evidence)
    ]
    n_rows = [np.bincount(evidence.bins[:, j]) for j in columns]

    def expected(box):
        of_sides = (n[slice(*run)].sum() for n, run in zip(n_rows, box, strict=True))
        return -np.prod([float(n) for n in of_sides]), box

    texts = [
        [_text(run, j, evidence) for run, j in zip(box, columns, strict=True)]
        for box in sorted(boxes, key=expected)
    ]
    return never_text([evidence.coding.names[j] for j in columns], texts)


def _runs(chosen, j, evidence):
    """Ranges of bins that are chosen, (start, end); of categories each on its own."""
    at = np.flatnonzero(chosen).tolist()
    is_ordered = isinstance(evidence.coding.parts[j], AtomParts)
    runs: list[list[int]] = []
    for b in at:
        joins = is_ordered and runs and runs[-1][1] == b
        if joins and b != evidence.missing.get(j):
            runs[-1][1] = b + 1
        else:
            runs.append([b, b + 1])
    return [(start, end) for start, end in runs]


def _text(run, j, evidence):
    """Values of a range of bins."""
    parts, column = evidence.coding.parts[j], evidence.coding.schema.columns[j]
    if run[0] == evidence.missing.get(j):
        return None
    if not isinstance(parts, AtomParts):
        return column.categories[parts.seen[run[0]]]
    bins = evidence.of_codes[j][: len(parts.lows)]
    is_own = (bins >= run[0]) & (bins < run[1])
    low, high = parts.lows[is_own].min(), parts.highs[is_own].max()
    if low == high:
        return _value(low, column)
    is_beside = ~is_own & (parts.highs >= low) & (parts.lows <= high)
    ends = [*zip(parts.lows[is_beside], parts.highs[is_beside], strict=True)]
    shown = [(a, b, _range(a, b, column)) for a, b in ends[:_MAX_BESIDE]]
    values = ", ".join(text for a, b, text in shown if a == b)
    # A run is that of numbers which few share: those inside that many do are not of it.
    runs = ", ".join(text for a, b, text in shown if a < b)
    but = " and ".join(filter(None, [values, runs and f"the rarer of {runs}"]))
    but = f" but {but}{', ...' * (len(ends) > _MAX_BESIDE)}" if but else ""
    return f"{_range(low, high, column)}{but}"


def _range(low, high, column):
    own = _value(low, column)
    return own if low == high else f"{own} to {_value(high, column)}"


def _value(value, column):
    if column.kind == "datetime":
        return write_dates(np.array([value]), column)[0]
    return short_text(value.item())
