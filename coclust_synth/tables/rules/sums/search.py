"""A search for columns that others tell in one way, one column after the other."""

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.relations import Share
from coclust_synth.tables.rules.fitting.dependants import dependants
from coclust_synth.tables.rules.fitting.regressions import sample_of


def plain_numbers(numbers, rulers):
    """The columns of rulers that are no dates.

    Parameters
    ----------
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    rulers : mapping of str to Ruler

    Returns
    -------
    dict of str to ndarray of float64, shape (n,)
    """
    return {
        name: numbers[name]
        for name, ruler in rulers.items()
        if getattr(ruler, "unit", None) is None
    }


class Search:
    """What tells each column, found again where what tells others makes it so.

    Parameters
    ----------
    evidence : Evidence
    rulers : mapping of str to Ruler
        Of the columns that may be told or tell others; dates are left out.
    min_individuals : int
        Whom a relation is about, at least; never fewer than `MIN_ROWS`.
    """

    def __init__(self, evidence, rulers, min_individuals):
        self._evidence, self._rulers = evidence, rulers
        self._numbers = plain_numbers(evidence.numbers, rulers)
        self._sample = sample_of(self._numbers)
        self._enough = max(MIN_ROWS, min_individuals)
        self._tried = {}

    def _remembered(self, target, found, search):
        """What tells a column, searched again where another one must not."""
        banned = dependants(target, found)
        relation = self._tried.get(target)
        if target not in self._tried or (
            relation is not None and banned & set(relation.parents)
        ):
            relation = self._tried[target] = search(target, banned)
        return relation


def instead_of(shares, told, better):
    """Shares, and in the place of some what tells the same better, the last ones first.

    Parameters
    ----------
    shares : list of Share and Fit
    told : sequence of Relation
        What else is told.
    better : callable
        From a share and what tells the other columns: what tells its column better, or
        None.

    Returns
    -------
    list of Relation
        No column depends on itself through others.
    """
    kept = list(shares)
    for place, share in reversed([*enumerate(shares)]):
        if isinstance(share, Share):
            others = [*told, *(each for each in kept if each is not share)]
            found = {each.target: each for each in others}
            kept[place] = better(share, found) or share
    return kept
