"""Rules by which columns that stay tell one that was changed.

Who adds noise to a wage and leaves the tax on it as it is has hidden nothing.
"""

from collections.abc import Collection

from coclust_synth.tables.parts.rare import DEFAULT_RARE
from coclust_synth.tables.parts.released import release_values
from coclust_synth.tables.relations import Bill, Fit, Function, Nested
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import Table

# Rows that a rule is about, at least: it is looked for, and told to nobody.
_MIN_ROWS = 20
# Rows of a label that have its commonest code, where it tells the code.
_NEARLY = 0.95


def undoing(table: Table, released: Schema, changed: Collection[str]) -> dict[str, str]:
    """What tells a changed column of a release from columns that stay as they are.

    Rules are looked for in the real table, as `rules_of` does: sums and products, also
    those that are about right, functions, shares, dates by their parts, dependences,
    nested codes. A sum or a function tells each of its columns; of nested codes the
    label is told, and the code where nearly all rows of its label have one.

    Parameters
    ----------
    table : Table of n rows
        The real one.
    released : Schema
        Of the columns that are released.
    changed : collection of str
        Names of those whose values are others.

    Returns
    -------
    dict of str to str
        The rule, by the name of the column that it tells; the first one of each.
    """
    real = release_values(table.values, released, DEFAULT_RARE)
    found: dict[str, str] = {}
    for rule in rules_of(Evidence.of(real), None, _MIN_ROWS).all:
        told = [name for name in rule.relation.columns if name in changed]
        if len(told) == 1 and told[0] in _told(rule.relation, real.frame):
            found.setdefault(told[0], str(rule))
    return found


def _told(relation, frame):
    """The columns that a rule tells from its others."""
    if isinstance(relation, Fit | Bill | Function):
        return relation.columns
    if isinstance(relation, Nested):
        code, label = relation.columns
        rows = frame.groupby([label, code], observed=True).size()
        most = rows.groupby(level=0, observed=True).max()
        is_one = most.sum() >= _NEARLY * rows.sum()
        return (label, code) if is_one else (label,)
    return (relation.target,) if hasattr(relation, "target") else ()
