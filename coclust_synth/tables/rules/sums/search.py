"""What searches look at, and what is remembered of them."""

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.relations import Share
from coclust_synth.tables.rules.fitting.regressions import has_squares, sample_of
from coclust_synth.tables.rules.fitting.told import dependants


class Columns:
    """The columns of numbers and dates that a search looks at.

    Parameters
    ----------
    evidence : Evidence
    rulers : mapping of str to Ruler
        Of the columns that may be told, or tell others.
    min_individuals : int, default=MIN_ROWS
        Whom a relation is about, at least.

    Attributes
    ----------
    numbers : dict of str to ndarray of float64, shape (n,)
        Those that are no dates, and have squares; nan where missing.
    enough : int
        `min_individuals`, but never fewer than `MIN_ROWS`.
    """

    def __init__(self, evidence, rulers, min_individuals=MIN_ROWS):
        self.evidence, self.rulers = evidence, rulers
        self.enough = max(MIN_ROWS, min_individuals)
        self.numbers = {
            name: evidence.numbers[name]
            for name, ruler in rulers.items()
            if getattr(ruler, "unit", None) is None
            and has_squares(evidence.numbers[name])
        }


class Search:
    """What tells each column, found again where what tells others makes it so.

    Parameters
    ----------
    columns : Columns
    stays : collection of str, default=()
        Columns that are the same in all rows of a person: they are told from others of
        them only.
    """

    def __init__(self, columns, stays=()):
        self._evidence, self._rulers = columns.evidence, columns.rulers
        self._numbers, self._enough = columns.numbers, columns.enough
        self._sample = sample_of(self._numbers)
        self._stays, self._tried = {*stays}, {}

    def _banned(self, target, found):
        """What must not tell it: what it tells, and of what stays what changes."""
        banned = dependants(target, found)
        if target in self._stays:
            banned |= self._sample.keys() - self._stays
        return banned

    def _remembered(self, target, found, search):
        """What tells a column, searched again where another one must not."""
        banned = self._banned(target, found)
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
