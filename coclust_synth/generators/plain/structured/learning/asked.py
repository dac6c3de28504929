"""What trees can ask for: what was drawn before, and what is known of it."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.equal import Equal
from coclust_synth.generators.plain.structured.roundness import Roundness
from coclust_synth.generators.plain.structured.targets.codes import code_sizes, codes_of
from coclust_synth.tables.laws.calendars import PART_SIZES
from coclust_synth.tables.rules.evidence import Evidence


class Asked:
    """What trees can ask for, in one row of codes for each of a table.

    First columns, then the cluster, then parts of columns (those of dates, how round
    numbers are, whether they equal others), then distances, then whether columns stay.

    Parameters
    ----------
    evidence : Evidence
        The table, in atoms.
    clusters : ndarray of int64, shape (n,)
    given : tuple of int
        Columns that are known when others are drawn.
    along : mapping of DateFeature, Roundness or Equal to set
        Of parts, the columns and other parts that go with each.
    apart, stayed : mapping of Distance, and of Stayed, to set of str
        The columns that go with each.
    listed : collection of str, default=()
        Numbers whose order says nothing.
    only_for : mapping of str to str, optional
        Of given columns, the only one whose tree can ask for it.

    Attributes
    ----------
    features, distances, stays : tuple
        Of `along`, `apart` and `stayed`.
    codes : ndarray of int32, shape (n, number of all)
    n_codes, n_ordered, starts : ndarray of int64, shape (number of all,)
        As `grow_tree` takes them.
    before : list of int
        The cluster and the columns that are drawn, or given.
    known : list of int
        The parts that are.
    """

    def __init__(
        self,
        evidence: Evidence,
        clusters: NDArray[np.int64],
        given: tuple[int, ...],
        along: Mapping[Any, set[Any]],
        apart: Mapping[Any, set[str]],
        stayed: Mapping[Any, set[str]],
        listed: Collection[str] = (),
        only_for: Mapping[str, str] | None = None,
    ) -> None:
        names = self.names = evidence.coding.names
        self.along, self._later = along, [*apart.values(), *stayed.values()]
        self.features, self.distances, self.stays = (*along,), (*apart,), (*stayed,)
        self.parts = tuple(codes_of(self.features, evidence))
        of_rows = names, evidence.numbers, evidence.codes
        self.stay_codes = [own.codes(*of_rows) for own in self.stays]
        columns = [evidence.codes, clusters, *self.parts]
        columns += [*codes_of(self.distances, evidence), *self.stay_codes]
        self.codes = np.column_stack(columns).astype(np.int32)
        others = [(int(clusters.max()) + 1, 0)]
        others += [(own.n_codes, 0) for own in self.features]
        ordered = *self.distances, *self.stays
        others += [(own.n_codes, own.n_ordered) for own in ordered]
        self.n_codes, self.n_ordered = code_sizes(evidence.coding, others, listed)
        self.starts = np.zeros(len(self.n_codes), dtype=np.int64)
        self.starts[: len(names)] = [evidence.first_code(name) for name in names]
        self._only_for = {names.index(n): of for n, of in (only_for or {}).items()}
        self.before = [len(names), *given]
        self.known = self.places(given)

    def add(self, j: int) -> None:
        """Know a column that is drawn, and its parts."""
        self.before.append(j)
        self.known += [p for p in self.places([j]) if p not in self.known]

    def by_tree(self, name: str) -> list[int]:
        """What the tree of a column can ask for; a date's for all of its own parts.

        So the leaf of a date holds some that have the parts drawn for it.
        """
        j = self.names.index(name)
        own = self.of_parts(p for p in self.places([j]) if p in self.known)
        first = len(self.names) + 1 + len(self.features)
        after = [first + i for i, along in enumerate(self._later) if name in along]
        return self.columns(name) + sorted({*own, *self.parts_with(name)}) + after

    def columns(self, name: str) -> list[int]:
        """The cluster and columns drawn before, but for those of others alone."""
        return [c for c in self.before if self._only_for.get(c, name) == name]

    def parts_with(self, of: Any) -> list[int]:
        """The parts that are known and go with a column, or with another part."""
        return self.of_parts(
            p for p in self.known if of in self.along[self.features[p]]
        )

    def of_parts(self, places: Iterable[int]) -> list[int]:
        """Where the codes of parts are, among all."""
        return [len(self.names) + 1 + place for place in places]

    def places(self, columns: Collection[int]) -> list[int]:
        """Where the parts of some columns are, among those of all."""
        return [i for i, own in enumerate(self.features) if own.column in columns]

    def equals(self, j: int) -> list[int]:
        """The places of what says that a column equals others."""
        return [p for p in self.places([j]) if isinstance(self.features[p], Equal)]

    def has_second_alone(self, j: int) -> bool:
        """Whether a column equals a second one, and the first by an order."""
        besides = [self.features[place].beside for place in self.equals(j)]
        return bool(besides) and None not in besides

    def in_turn(self, j: int) -> list[int]:
        """The places of parts of a column: of a date last, months before hours."""
        return sorted(self.places([j]), key=self._turn)

    def _turn(self, place):
        parts = list(PART_SIZES)
        of_date = self.is_of_date(place)
        return 1 + parts.index(self.features[place].part) if of_date else 0

    def is_of_date(self, place: int) -> bool:
        """Whether a part is one of a date, such as its month."""
        return not isinstance(self.features[place], Roundness | Equal)
