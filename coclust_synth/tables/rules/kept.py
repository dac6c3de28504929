"""What is kept of a table: its rules, and how many of its rows say so."""

from dataclasses import dataclass, replace
from functools import cached_property

from coclust_synth.tables.relations import (
    Dependence,
    Formula,
    Nested,
    Never,
    Order,
    Relation,
    relation_from_dict,
)
from coclust_synth.tables.rules.values.combinations import Combinations, allowed_pairs
from coclust_synth.tables.rules.values.lookup import Lookup


@dataclass(frozen=True)
class Rule:
    """A relation that a table respects, and how many say so.

    Attributes
    ----------
    relation : Relation
    rows, individuals : int
        That have what it is about: all its columns, or one of its values. Of values
        that never meet, individuals are those who have the ones of one side, of the
        side that has fewer; of a dependence, those whose combination is told.
    broken : int or None
        How many of the rows break it. None of a fit that is about right, and in a model
        file, as it can be of one individual.
    to_the_finest : bool
        Whether rows break a sum that are off by more than rounding of the finest of its
        columns, not of the one that it tells.
    """

    relation: Relation
    rows: int
    individuals: int
    broken: int | None = None
    to_the_finest: bool = False

    def __str__(self):
        return str(self.relation)

    def to_dict(self):
        """JSON compatible form, without the rows that break it."""
        support = {"rows": self.rows, "individuals": self.individuals}
        if self.to_the_finest:
            support["to_the_finest"] = True
        return self.relation.to_dict() | {"rule": str(self)} | support

    @classmethod
    def from_dict(cls, data):
        """Inverse of `to_dict`."""
        relation = relation_from_dict(data)
        said = data.get("rule")
        if isinstance(relation, Nested | Never) and said != str(relation):
            relation = replace(relation, said=said)
        support = int(data["rows"]), int(data["individuals"])
        to_the_finest = bool(data.get("to_the_finest", False))
        return cls(relation, *support, to_the_finest=to_the_finest)


@dataclass(frozen=True, eq=False)
class Rules:
    """What is kept of a table.

    Attributes
    ----------
    all : tuple of Rule
    combinations : tuple of Combinations
        Of those that are about values that never meet, in their order.
    lookups : tuple of Lookup
        Of the dependences, in any order.
    """

    all: tuple[Rule, ...]
    combinations: tuple[Combinations, ...] = ()
    lookups: tuple[Lookup, ...] = ()

    @property
    def relations(self):
        """Those of a schema."""
        return tuple(rule.relation for rule in self.all)

    def without_values(self, names):
        """The same, where the values of some columns are not told.

        Cases and counts of these are left out, which say nothing without.
        """
        names = set(names)
        untold = [r for r in self.all if not names.isdisjoint(r.relation.listed)]
        told = tuple(
            replace(rule, relation=replace(rule.relation, values=None, said=None))
            if isinstance(rule.relation, Never) and names & set(rule.relation.columns)
            else rule
            for rule in self.all
            if rule not in untold
        )
        return replace(self, all=told)

    def but_of(self, names):
        """The same, without those that are about some columns."""
        names, combinations = {*names}, iter(self.combinations)
        of_rules = [
            next(combinations) if isinstance(r.relation, Nested | Never) else None
            for r in self.all
        ]
        kept = [
            (rule, own)
            for rule, own in zip(self.all, of_rules, strict=True)
            if names.isdisjoint(rule.relation.columns)
        ]
        rules = tuple(rule for rule, _ in kept)
        values = tuple(own for _, own in kept if own is not None)
        told = {rule.relation.told for rule in rules}
        lookups = tuple(own for own in self.lookups if own.target in told)
        return replace(self, all=rules, combinations=values, lookups=lookups)

    @property
    def orders(self):
        """The orders, in a tuple."""
        return tuple(r for r in self.relations if isinstance(r, Order))

    @cached_property
    def bounds(self):
        """The orders and all that follow from them, (low, high) pairs of names.

        Where a <= b <= c is kept and b is drawn last, a must leave room below c.
        """
        pairs = {order.columns for order in self.orders}
        while True:
            more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
            if not more:
                return tuple(sorted(pairs))
            pairs |= more

    @cached_property
    def tables(self):
        """Bins of two columns that may meet, see `allowed_pairs`."""
        return allowed_pairs(self.combinations)

    @property
    def fits(self):
        """What predicts a column from others, by the name of the column."""
        return {n: r for n, r in self.told.items() if isinstance(r, Formula)}

    @property
    def told(self):
        """What tells a column from others, by the name of the column."""
        return {r.told: r for r in self.relations if r.told is not None}

    def lookup(self, name):
        """Of the dependence that tells a column, None where there is none."""
        if not isinstance(self.told.get(name), Dependence):
            return None
        return next(own for own in self.lookups if own.target == name)
