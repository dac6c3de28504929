"""Parts of two columns that never meet: one fixes the other, or they exclude."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.parts.parts import CategoryParts, same_categories
from coclust_synth.tables.parts.rare.rare import DEFAULT_RARE, MAX_BROKEN
from coclust_synth.tables.rules.values.first_counts import pairs_to_try
from coclust_synth.tables.rules.values.pairs import Pair
from coclust_synth.tables.rules.values.stops import beyond_stops
from coclust_synth.tables.values.numbers import log_choose

# Combinations that as many rows would have, were the columns independent, and none has.
_MIN_EXPECTED = 50
# Share of new rows that have a combination of categories that no row has, at most.
_MAX_NEW = 0.001
# Chance that a dependence of independent columns is taken for one.
_MAX_CHANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Combinations:
    """Which bins of one column may meet which of another.

    Attributes
    ----------
    first, second : int
        Columns.
    allowed : ndarray of bool, shape (bins of first, bins of second)
    fixes : bool
        Whether each bin of the first meets one of the second only; pooled ones, and
        few others, may meet several.
    """

    first: int
    second: int
    allowed: np.ndarray
    fixes: bool

    def to_dict(self):
        """JSON compatible form."""
        return {
            "first": self.first,
            "second": self.second,
            "allowed": to_digits(self.allowed),
            "fixes": self.fixes,
        }

    @classmethod
    def from_dict(cls, data):
        """Inverse of `to_dict`."""
        allowed = from_digits(data["allowed"])
        return cls(data["first"], data["second"], allowed, data["fixes"])


def to_digits(allowed):
    """A table of yes and no as a text of 0 and 1 for each row."""
    return ["".join("01"[int(a)] for a in row) for row in allowed]


def from_digits(texts):
    """Inverse of `to_digits`."""
    return np.array([[c == "1" for c in row] for row in texts])


def find_combinations(evidence, min_individuals, of=None):
    """The combinations of two columns that do not occur.

    Parameters
    ----------
    evidence : Evidence
        Bins that stand for several values may meet any.
    min_individuals : int
        Who have each side of a rule, at least.
    of : collection of int, optional
        Columns of which each pair has one, by position; by default any two are a pair.

    Returns
    -------
    list of Combinations
        Each pair of columns once, `first` before `second` unless the second fixes it.
    """
    found = []
    for first, second in pairs_to_try(evidence, _MIN_EXPECTED):
        if of is not None and first not in of and second not in of:
            continue
        pair = Pair.of(first, second, evidence)
        rule = nested(pair, min_individuals)
        rule = rule or nested(pair.turned, min_individuals)
        rule = rule or exclusions(pair, min_individuals)
        if rule is not None:
            found.append(rule)
    return found


def exclusions(pair, min_individuals):
    """Bins of two columns that never meet, although chance would have it.

    All values of a column that can be missing are looked at together, too: of few
    loans to two the second income is verified in each way, and of none of them the
    money is paid directly. So is, of columns of the same categories, that both have the
    same one, and what a category never has, all of it together; and the numbers beyond
    those that a category has.

    Parameters
    ----------
    pair : Pair
    min_individuals : int

    Returns
    -------
    Combinations or None
    """
    first, second = map(pair.groups, (pair.first, pair.second))
    together = first.T @ pair.together @ second
    n = max(pair.together.sum(), 1)
    rows = pair.together.sum(axis=1) @ first, pair.together.sum(axis=0) @ second
    expected = np.outer(*rows) / n * pair.of_persons
    never = (together == 0) & (expected >= _MIN_EXPECTED)
    of_bins = _never_equal(pair, min_individuals)
    of_bins |= _unseen(pair, min_individuals)
    of_bins |= _unseen(pair.turned, min_individuals).T
    of_bins |= _beyond(pair, min_individuals)
    of_bins |= _beyond(pair.turned, min_individuals).T
    if not never.any() and not of_bins.any():
        return None
    for column, of_groups in ((pair.first, never), (pair.second, never.T)):
        of_groups[pair.individuals_of_groups(column) < min_individuals] = False
    of_bins |= (first @ never.astype(np.int64) @ second.T) > 0
    if not of_bins.any():
        return None
    return Combinations(pair.first, pair.second, ~of_bins, False)


def _unseen(pair, min_individuals):
    """Categories that no row of another one has, which chance does not explain.

    Most towns are in one county, some in two, and a city in five: chance is asked how
    often all of a town would be in so many. Nothing is said where many new rows would
    be of combinations that no row has: they are as many as have what one individual has
    (Good 1953, The population frequencies of species).

    Parameters
    ----------
    pair : Pair
    min_individuals : int

    Returns
    -------
    ndarray of bool, shape (bins of first, bins of second)
    """
    unseen = np.zeros(pair.together.shape, dtype=bool)
    if not all(isinstance(own, CategoryParts) for own in pair.parts):
        return unseen
    # That the second is missing is looked at as any value of it is.
    places = np.ix_(pair.known(pair.first), pair.single(pair.second))
    own = pair.individuals_together[places]
    seen, n, of_labels = own > 0, own.sum(axis=1), own.sum(axis=0)
    if (own == 1).sum() > _MAX_NEW * n.sum():
        return unseen
    n_seen, n_labels = seen.sum(axis=1), (of_labels > 0).sum()
    share = np.maximum(seen @ of_labels, 1) / max(n.sum(), 1)
    chance = (n - n_seen) * np.log(share) + np.log(max((n > 0).sum(), 1))
    for row in np.flatnonzero(chance < np.log(_MAX_CHANCE)):
        chance[row] += log_choose(n_labels, n_seen[row])
    unseen[places] = ~seen & (chance < np.log(_MAX_CHANCE))[:, None]
    # Where most have rare categories in place of which others are drawn, these would
    # keep them from what they have.
    evidence, n_bins = pair.evidence, len(pair.together[0])
    moved = evidence.bins[evidence.is_moved(pair.first), pair.second]
    unseen &= np.bincount(moved, minlength=n_bins) <= pair.together.sum(axis=0)
    is_said = _are_enough(pair, unseen, min_individuals)
    return unseen if is_said else np.zeros_like(unseen)


def _beyond(pair, min_individuals):
    """Numbers of the second column beyond all that a category of the first has.

    Both the category and what is beyond are of `min_individuals`, at least.

    Parameters
    ----------
    pair : Pair
    min_individuals : int

    Returns
    -------
    ndarray of bool, shape (bins of first, bins of second)
    """
    if tuple(map(type, pair.parts)) != (CategoryParts, AtomParts):
        return np.zeros(pair.together.shape, dtype=bool)
    never = beyond_stops(
        pair.together, pair.known(pair.second), _MIN_EXPECTED, pair.of_persons
    )
    never &= pair.single(pair.first)[:, None]
    never[pair.individuals(pair.first) < min_individuals] = False
    second = pair.evidence.bins[:, pair.second]
    for category in np.flatnonzero(never.any(axis=1)):
        if pair.evidence.n_of(never[category][second]) < min_individuals:
            never[category] = False
    return never


def _are_enough(pair, never, min_individuals):
    """Whether enough individuals have what is on either side of what never meets."""
    bins = (pair.evidence.bins[:, j] for j in (pair.first, pair.second))
    both = zip((never, never.T), bins, strict=True)
    sides = (of.any(axis=1)[own] for of, own in both)
    return min(map(pair.evidence.n_of, sides)) >= min_individuals


def _never_equal(pair, min_individuals):
    """Bins of the same category, if no row has one in both columns, as chance would.

    Where one moves from is not where to: of sixty places no pair would be seen missing.
    What a person has in several rows alike is counted once.
    """
    equal = np.zeros(pair.together.shape, dtype=bool)
    if not all(isinstance(own, CategoryParts) for own in pair.parts):
        return equal
    same = same_categories(*pair.parts)
    is_value = pair.known(pair.first) & (same >= 0)
    is_value &= pair.known(pair.second)[same]
    equal[is_value, same[is_value]] = True
    together = pair.individuals_together
    of_rows = together.sum(axis=1), together.sum(axis=0)
    expected = np.outer(*of_rows)[equal].sum() / max(together.sum(), 1)
    if together[equal].any() or expected < -np.log(_MAX_CHANCE):
        return np.zeros_like(equal)
    if not _are_enough(pair, equal, min_individuals):
        return np.zeros_like(equal)
    return equal


def nested(pair, min_individuals):
    """The first column fixes the second, more than chance would have it.

    Rows in which one of the two is missing say nothing of it: of a stay whose code was
    not written down the chapter may be known. Of codes, `MAX_BROKEN` of the others may
    have another value than most of their code, as after a slip of the pen: where a
    number goes from one value to the next may be inside of a bin.

    Parameters
    ----------
    pair : Pair
    min_individuals : int
        Who have a label, and have another one.

    Returns
    -------
    Combinations or None
    """
    labels = pair.known(pair.second)
    together = pair.together[pair.known(pair.first)][:, labels]
    rows = together.sum(axis=1)
    seen = rows > 0
    if seen.sum() < 3 or (together.sum(axis=0) > 0).sum() < 2:
        return None
    most, value = together.max(axis=1)[seen], together.argmax(axis=1)[seen]
    n_broken = rows.sum() - most.sum()
    is_number = isinstance(pair.parts[0], AtomParts)
    may_break = 0 if is_number else MAX_BROKEN * rows.sum()
    if n_broken > may_break or (value == value[0]).all():
        return None
    # Rows of a bin that have its one value: each beyond the first by chance.
    share = together.sum(axis=0) / together.sum()
    beyond = np.maximum(most * pair.of_persons - 1, 0)
    which_broken = log_choose(*np.array([rows.sum(), n_broken]) * pair.of_persons)
    if (beyond * np.log(share[value])).sum() + which_broken > np.log(_MAX_CHANCE):
        return None
    of_labels = np.sort(pair.individuals(pair.second)[labels])
    if of_labels[-1] < min_individuals or of_labels[:-1].sum() < min_individuals:
        return None
    return code_fixes(pair)


def code_fixes(pair):
    """That each bin of the first column has its most frequent one of the second.

    It may have another, too, that `DEFAULT_RARE` individuals have with it, where few
    rows have others: a species that is not known is of several families. A pooled one
    that meets several may meet any: ``A (other)`` is beside ``A`` alone. A missing one
    may meet what it meets, or would hardly meet by chance.

    Parameters
    ----------
    pair : Pair

    Returns
    -------
    Combinations
    """
    labels = pair.known(pair.second)
    together = pair.together * labels
    allowed = np.zeros(together.shape, dtype=bool)
    allowed[np.arange(len(allowed)), together.argmax(axis=1)] = together.any(axis=1)
    if together.sum() - together.max(axis=1).sum() <= MAX_BROKEN * together.sum():
        allowed |= (pair.individuals_together >= DEFAULT_RARE) & labels
    # A label whose codes are all rare, so that rows have those of others, may be beside
    # any: none would be left for it.
    moved = pair.evidence.bins[pair.evidence.is_moved(pair.first), pair.second]
    is_beside_moved = np.bincount(moved, minlength=len(labels)) > 0
    allowed |= labels & is_beside_moved & ~allowed.any(axis=0)
    # Groups, and missing values, are beside what they are beside in the table.
    met = pair.together > 0
    allowed[:, ~labels] = met[:, ~labels]
    is_missing = pair.single(pair.first) & ~pair.known(pair.first)
    allowed[is_missing] = met[is_missing] | (pair.expected < _MIN_EXPECTED)[is_missing]
    of_several = (together > 0).sum(axis=1) > 1
    allowed[~pair.single(pair.first) & of_several] = True
    return Combinations(pair.first, pair.second, allowed, True)


def allowed_pairs(combinations):
    """Which bins of two columns may meet, by what is said of them and of a third.

    A code never meets what its label never meets: of the label's values none would be
    left when it is drawn.

    Parameters
    ----------
    combinations : sequence of Combinations

    Returns
    -------
    dict of (int, int) to ndarray of bool, shape (bins of first, bins of second)
        Of two columns, in either order; of others any may meet.
    """
    said: dict[tuple[int, int], np.ndarray] = {}
    for rule in combinations:
        _both_ways(said, rule.first, rule.second, rule.allowed)
    allowed = dict(said)
    for (first, third), of_first in said.items():
        for (other, second), of_third in said.items():
            if other == third and first < second:
                # Bins of the third that both leave.
                left = of_first.astype(np.float32) @ of_third.astype(np.float32)
                if not left.all():
                    _both_ways(allowed, first, second, left > 0)
    return allowed


def _both_ways(tables, first, second, allowed):
    """Add what is allowed to what is of the same columns."""
    allowed = tables.get((first, second), True) & allowed
    tables[first, second], tables[second, first] = allowed, allowed.T
