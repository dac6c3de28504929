"""Columns that are missing in the same rows, or where another is: told once.

Rows that hold nothing, or nothing of one page of a questionnaire, make a rule of each
two of their columns. Told is the shortest list that all of them follow from.
"""

import numpy as np

_SAME = "missing in the same rows"


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
    first, second = (evidence.coding.names[j] for j in columns)
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


def _same(*columns):
    return f"{', '.join(columns)}: {_SAME}"


def _where(*columns, of):
    return f"{', '.join(columns)}: missing where {of} is"


def told_once(rules):
    """Rules, and of those about what is missing the fewest that all follow from.

    Parameters
    ----------
    rules : sequence of dict
        As `Rule.to_dict` gives them. Those that drawn rows break stay as they are.

    Returns
    -------
    list of dict
        A rule that says what several did stands in the place of the first of them, with
        the fewest rows and individuals that one of them has.
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
            fewest = {n: min(same[n], rule[n]) for n in ("rows", "individuals")}
            once[text] = same | fewest | {"rule": text}
    return [*once.values()]


def _is_of_missing(rule):
    """Whether a rule is one of `missing_text`."""
    first, second = rule["columns"]
    ways = _same(first, second), _where(second, of=first), _where(first, of=second)
    return rule["rule"] in ways
