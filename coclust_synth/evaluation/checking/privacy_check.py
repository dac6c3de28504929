r"""What the privacy models say of a released table, whoever made it.

With n_E the rows of an equivalence class E, N those of the table, P_E and Q the
distributions of a sensitive column in E and in the table::

    C_AVG    N / (number of classes) / k                      1 at best;
             suppressed rows are one class together
    DM       sum n_E^2, and N for each suppressed row
    A_know   1/N sum n_E d(P_E, Q), d the total variation     0 at best

The measures of `coclust_synth.privacy.models` are taken with them, on the table as it
is given. They are about linkage under the named quasi-identifiers: what somebody can
tell who knows these columns of a person, and nothing else. Other columns that an
attacker knows, other releases of the same people and what the whole table says of
everybody are outside, as is whoever drew the table from which records, and how.

Where a column names the person of each row, n_E is the persons of a class in A_know,
and the models are counted by persons: see
`coclust_synth.privacy.models.sensitive`. C_AVG and DM stay with the rows. That
several rows are the same person's is what an attacker may know too, and is not
measured.

References
----------
.. [1] K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional
   k-anonymity", ICDE 2006: C_AVG.
.. [2] R. J. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization",
   ICDE 2005: DM.
.. [3] J. Brickell and V. Shmatikov, "The cost of privacy: destruction of data-mining
   utility in anonymized data publishing", KDD 2008: A_know.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from coclust_synth.evaluation.checking.asked import (
    check_columns,
    check_identities,
    check_presences,
    per_column,
)
from coclust_synth.evaluation.checking.households import household_risk
from coclust_synth.evaluation.checking.privacy_result import (
    ClassAtRisk,
    ModelCheck,
    PrivacyCheck,
    SensitiveCheck,
)
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.privacy.classes import (
    CodedValues,
    EquivalenceClasses,
    code_values,
    count_matrix,
    equivalence_classes,
)
from coclust_synth.privacy.models.base import PrivacyModel, check_reachable
from coclust_synth.privacy.models.closeness import TCloseness
from coclust_synth.privacy.models.diversity import (
    AlphaK,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KPersons,
    RecursiveLDiversity,
)
from coclust_synth.privacy.models.presence import DeltaPresence, PopulationModel
from coclust_synth.privacy.models.sensitive import PersonValues
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.native import as_pandas

_RECURSIVE_LS = (2, 3)
_DIVERSITIES = (DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity)


def check_release(
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    k: int | None = None,
    models: Sequence[tuple[str | None, PrivacyModel]] = (),
    population: pd.DataFrame | None = None,
    original: pd.DataFrame | None = None,
    suppressed: Any = None,
    person_id: str | None = None,
    household_id: str | None = None,
) -> PrivacyCheck:
    """Measure a released table under the privacy models.

    Parameters
    ----------
    frame : DataFrame
        The table, of two rows or more. Labels are compared as what they are, missing
        ones too, and the index is not read.
    quasi_identifiers : sequence of str
        Columns that an attacker is taken to know of a person.
    sensitive : sequence of str, optional
        Columns that the attacker wants to know. Numbers, dates and ordered category
        dtypes have an order, which the ordered distance of t-closeness takes.
    k : int, optional
        Asks for k-anonymity.
    models : sequence of (column, model), optional
        Asks for models of l-diversity, t-closeness or `AlphaK`; a column of None
        stands for each sensitive one. The columns of hierarchy `nodes` are in the order
        of `code_values`. `DeltaPresence` and `KMap`, with a column of None, are asked
        of the classes of `population`, or, as `Sampled`, without one.
    population : DataFrame, optional
        People of whom the released are some, with the quasi-identifiers under the same
        labels.
    original : DataFrame, optional
        Table that the release was made from: the distributions of its sensitive columns
        are those that t-closeness and A_know compare with; by default those of `frame`.
        An ordered category dtype is to be the same in both.
    suppressed : optional
        Label: a row that holds it in every quasi-identifier is suppressed, and in no
        class. By default such rows are a class like any other.
    person_id : str, optional
        Column that names the person of each row: a table before its release has it. k
        and the models are of persons then; `original` must have the column too. By
        default each row is a person.
    household_id : str, optional
        Column that names the household of each row, for the risk of households: see
        `coclust_synth.evaluation.checking.households`.

    Returns
    -------
    PrivacyCheck
        Figures are exact functions of the table, and disclose what it does; those that
        use `original` or `population` are disclosures about these.

    Raises
    ------
    ParameterError
        If columns are unknown, named twice, or have two roles; if a model does not fit
        its column, or delta-presence is asked of persons.
    TableError
        If a table has fewer than two rows, all are suppressed, or a class has more
        released rows than the population.

    Notes
    -----
    30 ms for the 27,118 classes of UCI Adult on eight columns, one sensitive; longer
    where thousands of classes at risk are to be named.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": ["[20, 30]"] * 3 + ["[31, 40]"] * 2,
    ...                       "job": ["cook", "cook", "nurse", "cook", "nurse"]})
    >>> check = check_release(frame, ["age"], ["job"], k=3)
    >>> check.k, check.sensitive[0].distinct_l, check.holds
    (2, 2, False)
    >>> [(risky.labels, risky.reasons) for risky in check.at_risk]
    [(('[31, 40]',), ('3-anonymity: rows = 2',))]
    """
    frame, population, original = map(as_pandas, (frame, population, original))
    quasi_identifiers, sensitive = tuple(quasi_identifiers), tuple(sensitive)
    check_columns(frame, quasi_identifiers, sensitive, original, population)
    identities = {"persons": person_id, "households": household_id}
    check_identities(identities, frame, (*quasi_identifiers, *sensitive))
    presences = [model for _, model in models if isinstance(model, PopulationModel)]
    if person_id is not None and (population is not None or presences):
        raise ParameterError(
            "Expected a population of a table of one row a person. Received one with "
            f"the persons of {person_id!r}, whose rows can be in several classes, so "
            "that the share released is not defined. Leave one of them out."
        )
    check_presences(models, population)
    of_columns = [(c, m) for c, m in models if not isinstance(m, PopulationModel)]
    asked = per_column(of_columns, sensitive)

    left = ~_suppressed_rows(frame, quasi_identifiers, suppressed)
    kept = frame[left]
    classes = equivalence_classes(kept, quasi_identifiers)
    persons = None if person_id is None else Persons.of(kept, person_id)
    individuals = classes.sizes if persons is None else persons.count(classes.codes)
    tally = _Tally(classes, None if persons is None else individuals)
    if k is not None:
        model, n = KAnonymity(k), len(kept)
        if persons is not None:
            model, n = KPersons(k), persons.n
        tally.ask(None, model, individuals[:, np.newaxis], np.array([n]))
    columns = tuple(
        _check_sensitive(name, kept, original, asked[name], tally, persons, individuals)
        for name in sensitive
    )
    households = None
    if household_id is not None:
        named = Persons.of(kept, household_id, "household")
        households = household_risk(classes.codes, named, persons, k)
    released = None
    if population is not None:
        counts = _presence_counts(kept, classes, population, quasi_identifiers)
        shares = DeltaPresence(0, 1).values(counts, counts.sum(axis=0))
        released = (float(shares.min()), float(shares.max()))
    else:
        # Of `Sampled` models, which count released rows alone.
        counts = np.column_stack([classes.sizes, classes.sizes])
    for presence in presences:
        tally.ask(None, presence, counts, counts.sum(axis=0))

    n_rows, n_kept = len(frame), len(kept)
    return PrivacyCheck(
        quasi_identifiers=quasi_identifiers,
        n_rows=n_rows,
        n_suppressed=n_rows - n_kept,
        completeness=n_kept / (n_rows if original is None else len(original)),
        sizes=classes.sizes,
        c_avg=None if k is None else n_rows / (len(classes) + (n_kept < n_rows)) / k,
        discernibility=int((classes.sizes**2).sum()) + n_rows * (n_rows - n_kept),
        sensitive=columns,
        presence=released,
        models=tuple(tally.checks),
        at_risk=tally.at_risk(kept, quasi_identifiers),
        persons=tally.persons,
        n_persons=None if persons is None else persons.n,
        households=households,
    )


# --- measuring ----------------------------------------------------------------


class _Tally:
    """Which classes fail which models."""

    def __init__(self, classes: EquivalenceClasses, persons: np.ndarray | None = None):
        self.classes = classes
        self.persons = persons
        self.checks: list[ModelCheck] = []
        self.failures: list[np.ndarray] = []  # measure of each class, NaN if it holds

    def ask(self, column, model, counts, total):
        """Measure a model; counts beyond the classes are of nobody released."""
        values = model.values(counts, total)
        fails = ~model.within(values)
        check = ModelCheck(
            column=column,
            model=model,
            worst=model.worst(values),
            reachable=model.reachable(total),
            n_failing=int(fails.sum()),
        )
        self.checks.append(check)
        self.failures.append(np.where(fails, values, np.nan)[: len(self.classes)])

    def at_risk(self, kept, names) -> tuple[ClassAtRisk, ...]:
        if not self.checks:
            return ()
        failing = ~np.isnan(np.column_stack(self.failures))
        found = np.flatnonzero(failing.any(axis=1))
        sizes = self.classes.sizes if self.persons is None else self.persons
        found = found[np.argsort(sizes[found], kind="stable")]
        rows = kept[list(names)].iloc[self.classes.first[found]]
        labels = zip(*(rows[name].tolist() for name in names), strict=True)
        return tuple(
            ClassAtRisk(
                label,
                int(self.classes.sizes[code]),
                self._reasons(code, failing[code]),
                None if self.persons is None else int(self.persons[code]),
            )
            for code, label in zip(found, labels, strict=True)
        )

    def _reasons(self, code, failing) -> tuple[str, ...]:
        reasons = []
        for index in np.flatnonzero(failing):
            check, value = self.checks[index], self.failures[index][code]
            where = "" if check.column is None else f"{check.column}: "
            measure = check.model.measure
            reasons.append(f"{where}{check.model}: {measure} = {value:.4g}")
        return tuple(reasons)


def _check_sensitive(
    name,
    kept,
    original,
    models: list[PrivacyModel],
    tally: _Tally,
    persons: Persons | None,
    individuals: np.ndarray,
) -> SensitiveCheck:
    own = _Counted.of(name, kept, original, tally.classes, persons)
    for model in models:
        if isinstance(model, _DIVERSITIES) and model.l > own.n_values:
            check_reachable(model, name, own.of_table(model))
        if model.needs_order and not own.ordered:
            raise ParameterError(
                f"Expected a column with an order for {model}. Received {name!r}, "
                "whose values are texts. Use the equal distance, or give their order "
                f"by --order {shlex.quote(name)}=A,B,... (in Python an ordered "
                "category dtype)."
            )
        tally.ask(name, model, own.of_classes(model), own.of_table(model))

    def worst(model):
        return model.worst(own.measured(model))

    distances = own.measured(TCloseness(1))
    asked = {m.l for m in models if isinstance(m, RecursiveLDiversity)}
    ls = sorted(asked.union(_RECURSIVE_LS))
    return SensitiveCheck(
        name=name,
        n_values=own.n_values,
        distinct_l=int(worst(DistinctLDiversity(1))),
        entropy_l=worst(EntropyLDiversity(1)),
        recursive_c={n: worst(RecursiveLDiversity(1, n)) for n in ls},
        t_equal=float(distances.max()),
        t_ordered=worst(TCloseness(1, "ordered")) if own.ordered else None,
        largest_share=worst(AlphaK(1)),
        a_know=float(individuals @ distances / individuals.sum()),
    )


@dataclass(frozen=True, eq=False)
class _Counted:
    """The values of a sensitive column, as models count them.

    Attributes
    ----------
    pairs : csr_array of int64, shape (n_classes, n_codes)
        Rows of each class that hold each value, or each pair of a person and a value.
    table : ndarray of int64, shape (n_values,), or PersonValues
        Rows of the table that hold each value, or the pairs of it.
    released : PersonValues or None
        What the pairs are of; None where each row is a person.
    n_values : int
        Values that the table holds.
    ordered : bool
    """

    pairs: sparse.csr_array
    table: np.ndarray | PersonValues
    released: PersonValues | None
    n_values: int
    ordered: bool

    @classmethod
    def of(cls, name, kept, original, classes, persons: Persons | None) -> "_Counted":
        codes = source = code_values(kept[name])
        if original is not None:
            coded = code_values(pd.concat([kept[name], original[name]]))
            codes, source = (
                CodedValues(own, coded.values, coded.ordered)
                for own in np.split(coded.codes, [len(kept)])
            )
        n = int(np.count_nonzero(source.counts))
        if persons is None:
            shape = (len(classes), len(codes.values))
            pairs = count_matrix(classes.codes, codes.codes, shape)
            return cls(pairs, source.counts, None, n, codes.ordered)
        released = table = PersonValues.of(persons, codes.codes, len(codes.values))
        if original is not None:
            named = Persons.of(original, persons.column)
            table = PersonValues.of(named, source.codes, len(source.values))
        shape = (len(classes), released.n_codes)
        pairs = count_matrix(classes.codes, released.codes, shape)
        return cls(pairs, table, released, n, codes.ordered)

    def of_classes(self, model) -> sparse.csr_array:
        """Individuals of each class who hold each value."""
        if self.released is None:
            return self.pairs
        return self.released.counted(model, self.pairs)

    def of_table(self, model) -> np.ndarray:
        """The same of the table."""
        if isinstance(self.table, PersonValues):
            return self.table.total(model)
        return self.table

    def measured(self, model) -> np.ndarray:
        """Measure of each class."""
        return model.values(self.of_classes(model), self.of_table(model))


def _presence_counts(kept, classes, population, names) -> np.ndarray:
    """Released rows and people of each class of the population.

    The released classes come first, in their order.
    """
    both = pd.concat([kept[list(names)], population[list(names)]])
    joint = equivalence_classes(both, names)
    parts = np.split(joint.codes, [len(kept)])
    counts = np.column_stack([np.bincount(p, minlength=len(joint)) for p in parts])
    beyond = np.flatnonzero(counts[:, 0] > counts[:, 1])
    if len(beyond):
        row = both.iloc[joint.first[beyond[0]]]
        label = ", ".join(f"{name}={row[name]}" for name in names)
        released, people = counts[beyond[0]]
        raise TableError(
            "Expected a population that every released row is of. Received "
            f"{len(beyond)} classes with more released rows than people, such as "
            f"{label} ({released} released, {people} in the population). Generalise "
            "the population to the labels of the release, or check that it is the "
            "right one."
        )
    in_release = joint.codes[classes.first]
    return np.concatenate([counts[in_release], np.delete(counts, in_release, axis=0)])


def _suppressed_rows(frame, names, mark) -> np.ndarray:
    if mark is None:
        return np.zeros(len(frame), dtype=bool)
    rows = np.all([frame[name].isin([mark]).to_numpy() for name in names], axis=0)
    if rows.all():
        raise TableError(
            f"Expected rows that are not suppressed. Received {len(frame)} rows, all "
            f"with {mark!r} in every quasi-identifier. Release less general rows."
        )
    return rows
