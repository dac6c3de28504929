"""Which sums of a table are made of which: of few variables, of those of more.

Sums of a clique over few of its variables are made of sums over more, which others are
made of too. What is spread over the clique goes the same way back.
"""

from math import prod


class Sums:
    """Tables of some variables of a clique, each a sum of a larger one.

    Parameters
    ----------
    sizes : dict of int to int
        Values of each variable of the clique, in increasing order.
    wanted : set of tuple of int
        Increasing variables, of each table that is wanted.
    allocate : callable
        Gives a table of so many cells its place.
    place : int
        Of the table of the clique itself.

    Attributes
    ----------
    places : dict of tuple of int to int
        Of the table of some variables.
    """

    def __init__(self, sizes, wanted, allocate, place):
        self._sizes, self._allocate = sizes, allocate
        self.places, self._steps = {tuple(sizes): place}, []
        self._divide(tuple(sizes), sorted(wanted - {tuple(sizes)}))

    def _divide(self, variables, wanted):
        """Sum a table over a variable that most of the others do without, and so on."""
        while wanted:
            n_without = {v: sum(v not in of for of in wanted) for v in variables}
            left_out = max(variables, key=lambda v: (n_without[v], self._sizes[v]))
            own = [of for of in wanted if left_out not in of]
            wanted = [of for of in wanted if left_out in of]
            # What stands beside it and is of no use either goes with it.
            used = {v for of in own for v in of}
            first = last = variables.index(left_out)
            while first > 0 and variables[first - 1] not in used:
                first -= 1
            while last + 1 < len(variables) and variables[last + 1] not in used:
                last += 1
            smaller = variables[:first] + variables[last + 1 :]
            is_new = smaller not in self.places
            if is_new:
                self.places[smaller] = self._allocate(self.n_cells(smaller))
                parts = (
                    variables[:first],
                    variables[first : last + 1],
                    variables[last + 1 :],
                )
                self._steps.append(
                    (variables, smaller, [self.n_cells(p) for p in parts])
                )
            self._divide(smaller, [of for of in own if of not in self.places])

    def n_cells(self, variables):
        """Cells of the table of some variables."""
        return prod(self._sizes[v] for v in variables)

    def down(self, kind):
        """Steps from the clique to all tables, larger ones first."""
        return [
            (kind, self.places[larger], self.places[smaller], *axes)
            for larger, smaller, axes in self._steps
        ]

    def up(self, kind, groups):
        """Steps from the tables of some groups to the clique, smaller ones first."""
        return [
            (kind, self.places[smaller], self.places[larger], *axes)
            for larger, smaller, axes in self._above(groups)
        ]

    def on(self, kind, groups, source=None):
        """Steps on the tables of some groups, each by that of another plan, if any."""
        return [
            (kind, source.places[of] if source else 0, place, self.n_cells(of), 0, 0)
            for of, place in self.places.items()
            if of in groups
        ]

    def between(self, groups):
        """Groups of the tables between those of some groups and the clique."""
        return {smaller for _, smaller, _ in self._above(groups)} - {*groups}

    def _above(self, groups):
        """What leads from some groups to the clique."""
        found, reached = [], {*groups}
        for larger, smaller, axes in reversed(self._steps):
            if smaller in reached:
                reached.add(larger)
                found.append((larger, smaller, axes))
        return found
