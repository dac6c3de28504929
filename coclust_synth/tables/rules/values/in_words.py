"""Which values of two columns never meet, in words: those that most rows would have.

Rows that hold nothing, or nothing of one page of a questionnaire, make a rule of each
two of their columns. Told is the shortest list that all of them follow from.
"""

import numpy as np

from coclust_synth.tables.labels import short_text
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import never_text
from coclust_synth.tables.values.dtypes import write_dates

_SAME = "missing in the same rows"
_MAX_BESIDE = 3  # values inside of a range that are not of it, in a text


def missing_text(combinations, evidence):
    """A rule that says no more than where one of two columns is missing, in words.

    Parameters
    ----------
    combinations : Combinations
    evidence : Evidence

    Returns
    -------
    str or None
        None where it says something else, too.
    """
    columns = combinations.first, combinations.second
    first, second = (_name(j, evidence) for j in columns)
    missing = [evidence.missing.get(j) for j in columns]
    if None in missing:
        return None
    never = ~combinations.allowed
    is_missing = [np.arange(n) == b for n, b in zip(never.shape, missing, strict=True)]
    alone = (
        np.outer(is_missing[0], ~is_missing[1]),
        np.outer(~is_missing[0], is_missing[1]),
    )
    if np.array_equal(never, alone[0] | alone[1]):
        return _same(first, second)
    if np.array_equal(never, alone[0]):
        return _where(second, of=first)
    return _where(first, of=second) if np.array_equal(never, alone[1]) else None


def _name(j, evidence):
    """Of a column, with the date that stands for none, if there is one."""
    column = evidence.coding.schema.columns[j]
    return f"{column.name} ({column.no_date})" if column.no_date else column.name


def _same(*columns):
    return f"{', '.join(columns)}: {_SAME}"


def _where(*columns, of):
    return f"{', '.join(columns)}: missing where {of} is"


def _fewest(one, other):
    """The rows and individuals that two rules said as one are about at least."""
    return {name: min(one[name], other[name]) for name in ("rows", "individuals")}


def told_once(rules, *, of_both=_fewest):
    """Rules, and of those about what is missing the fewest that all follow from.

    Parameters
    ----------
    rules : sequence of dict
        As `Rule.to_dict` gives them. Those that drawn rows break stay as they are.
    of_both : callable
        Figures of two rules that are said as one; by default the fewest rows and
        individuals that one of them has.

    Returns
    -------
    list of dict
        A rule that says what several did stands in the place of the first of them.
    """
    never = [r for r in rules if r["kind"] == "never" and not r.get("drawn_broken")]
    said = {rule["rule"]: rule["columns"] for rule in never if _is_of_missing(rule)}
    pairs = [own for columns in said.values() for own in (columns, columns[::-1])]
    groups = {name: [name] for columns in pairs for name in columns}
    for a, b in pairs:
        if _same(a, b) in said and groups[a] is not groups[b]:
            groups[a] += groups[b]
            groups |= dict.fromkeys(groups[b], groups[a])
    where = {name: [] for name in groups}
    for a, b in pairs:
        of, own = groups[a][0], groups[b][0]
        if _where(b, of=a) in said and own not in where[of]:
            where[of].append(own)
    texts = {_same(a, b): _same(*groups[a]) for a, b in pairs}
    for a, b in pairs:
        of, own = groups[a][0], groups[b][0]
        # What follows by way of another column that is missing there is left out.
        direct = [n for n in where[of] if not any(n in where[o] for o in where[of])]
        text = _where(*direct, of=of) if own in direct else None
        texts[_where(b, of=a)] = text
    once: dict[object, dict] = {}
    for i, rule in enumerate(rules):
        if rule["rule"] not in said:
            once[i] = rule
        elif (text := texts[rule["rule"]]) is not None:
            same = once.get(text, rule)
            once[text] = same | of_both(same, rule) | {"rule": text}
    return [*once.values()]


def _is_of_missing(rule):
    """Whether a rule is one of `missing_text`."""
    first, second = rule["columns"]
    ways = _same(first, second), _where(second, of=first), _where(first, of=second)
    return rule["rule"] in ways


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
        return column.no_date
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
