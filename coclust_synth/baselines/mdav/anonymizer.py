"""MDAV-generic: k-anonymity by microaggregation of columns of all kinds."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from coclust_synth.baselines.class_labels import check_label_memory, class_columns
from coclust_synth.baselines.mdav._kernels import join_nearest
from coclust_synth.baselines.mdav.groups import (
    DEFAULT_ITERATIONS,
    END_RULES,
    check_improvement,
    group_records,
    improve_groups,
)
from coclust_synth.baselines.mdav.records import ORDINAL_MEANS, SCALES, MixedColumns
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.kanon.anonymizer import KAnonymizer, Recoded
from coclust_synth.tables.column import ORDERED_KINDS
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.covering import set_labels
from coclust_synth.tables.hierarchies.columns import code_leaves
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.dtypes import holds_missing
from coclust_synth.tables.values.series import from_values
from coclust_synth.validation import check_choice

RELEASES = ("sets", "centroids")


@dataclass(eq=False, repr=False, kw_only=True)
class MDAVAnonymizer(KAnonymizer):
    """k-anonymous tables by microaggregation: MDAV-generic.

    Similar rows are gathered in classes of k or more, see `mdav_groups`. The squared
    distance of two rows is a sum over the quasi-identifiers:

    - numbers and dates: the squared difference of scaled values;
    - ordinal values a <= b: the square of #{c: a <= c < b} / #categories;
    - nominal values, texts and booleans: 0 or 1.

    The centre of a class has means, medians and modes; of equally frequent values it
    has the first. Missing is a value. In nominal columns it is one more category. In
    others its squared distance from any value is 1 plus that of the value from the mean
    or median of the column. The mean or median of a class is that of the values
    present, and missing if more than half of its rows lack one.

    With `person_id`, one row of each person, the first in the order of values, is
    gathered in this way. Each other row joins the class with the nearest centre.

    All quasi-identifiers are treated together, so that rows of a class share all
    labels. This gives k-anonymity; microaggregation of a few columns at a time does
    not.

    What a class has in common is not protected by k: if its sensitive values are equal,
    they are known. The choice of classes depends on the rows, so that labels and
    centroids also show something of neighbouring rows. Whoever knows the mean of k
    values and k - 1 of them knows the last. The leaves of ``release_``, which are
    written with it, are all values of the table; with centroids they are these and the
    centres, whose means can be nobody's values.

    Parameters
    ----------
    k : int
        Rows of each class, at least, and with `person_id` different persons; from 2 to
        their number.
    release : {"sets", "centroids"}, default="sets"
        ``"sets"``: labels stand for all values of their class. ``"centroids"``: each
        cell is its class's mean, median or mode, which may be no value of its rows.
        Means of integers and dates are rounded to whole ones, half to even, of decimals
        to their decimals.
    end_rule : {"literature", "sdcmicro"}, default="literature"
        As of `mdav_groups`.
    improve : bool, default=False
        Whether a local search brings the rows of classes closer to each other, see
        `improve_groups`. There may then be fewer and larger classes. For k up to 2,000.
    n_iterations : int, default=30
        Iterations of that search; time is proportional to it.
    rescale : bool, default=False
        Whether released numbers are moved away from their mean m so that they have the
        original variance, x' = m + (x - m) sd(original) / sd(means), before rounding.
        Means of columns are kept; values may leave the original range. Only with
        centroids. Dates, and columns whose means are all equal, are left as they are.
    scale : {"deviation", "range", "none"}, default="deviation"
        What numbers are divided by: their standard deviation, as in the literature;
        their range, so that columns of all kinds weigh the same, at most 1; or nothing.
        A constant column counts 0.
    ordinal : {"median", "convex"}, default="median"
        Centre of ordinal values: the lower median, or the convex median, that of the
        counts min(max up to c, max from c on). Of 1, 2 and 7 they are 2 and 4.
    quasi_identifiers, sensitive, sensitive_values, others, person_id
        As of `HybridKAnonymizer`.

    Attributes
    ----------
    release_, classes_, report_, roles_
        As of `KAnonymizer`. Nothing is suppressed.
    centroids_ : DataFrame of one row for each class
        Means as floats (of dates, rounded to their unit), medians and modes, in the
        order of the quasi-identifiers; neither rounded nor rescaled. Confidential.
    sse_, sst_ : float
        Sum of squared differences of scaled numbers from the mean of their class, and
        of all rows; 0 without numbers. A missing one counts as the mean of its column.

    References
    ----------
    .. [1] J. Domingo-Ferrer and V. Torra, "Ordinal, continuous and heterogeneous
       k-anonymity through microaggregation", Data Mining and Knowledge Discovery 11(2),
       2005.
    .. [2] J. Domingo-Ferrer and V. Torra, "Median-based aggregation operators for
       prototype construction in ordinal scales", International Journal of Intelligent
       Systems 18(6), 2003: the convex median.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [30, 31, 40, 47], "pet": ["cat", "dog"] * 2})
    >>> MDAVAnonymizer(k=2, release="centroids").fit_transform(table).to_frame()
      age  pet
    0  30  cat
    1  30  cat
    2  44  cat
    3  44  cat
    """

    release: str = "sets"
    end_rule: str = "literature"
    improve: bool = False
    n_iterations: int = DEFAULT_ITERATIONS
    rescale: bool = False
    scale: str = "deviation"
    ordinal: str = "median"

    @property
    def squared_error_(self) -> float | None:
        """SSE / SST, what means lose before they are rounded; None without numbers."""
        return self.sse_ / self.sst_ if self.sst_ else None

    def _check_options(self):
        check_choice("release", self.release, RELEASES)
        check_choice("end_rule", self.end_rule, END_RULES)
        check_choice("scale", self.scale, SCALES)
        check_choice("ordinal", self.ordinal, ORDINAL_MEANS)
        for name in ("improve", "rescale"):
            check_choice(name, getattr(self, name), (True, False))
        if self.improve:
            check_improvement(self.k, self.n_iterations)
        if self.rescale and self.release != "centroids":
            raise ParameterError(
                'Expected rescale with release="centroids" only, which has means. '
                f"Received it with {self.release!r}. Leave it out."
            )

    def _recode(self, people):
        columns, leaves, codes = code_leaves(people.values, people.asked)
        # By value: the classes are the same for any order of the rows.
        order = np.lexsort(codes.T[::-1])
        mixed = MixedColumns.of(columns, leaves, codes[order])
        n_classes = len(codes) // self.k
        n_new = n_classes if self.release == "centroids" else 0  # values, at most
        check_label_memory(
            people.asked.names,
            [len(own.leaves) + n_new for own in leaves],
            [n_classes] * len(leaves),
        )
        convex = self.ordinal == "convex"
        records = mixed.records(scale=self.scale, convex=convex)
        persons = None if people.persons is None else people.persons.codes[order]
        classes = self._groups(records, persons)
        numbers = records.values[:, : records.n_means]
        self.sse_ = _squares(numbers, classes)
        self.sst_ = _squares(numbers, np.zeros_like(classes))
        centres = mixed.centres(classes, convex=convex)
        self.centroids_ = _centroids(mixed, centres)
        row_classes = np.empty_like(classes)
        row_classes[order] = classes
        if self.release == "sets":
            released = class_columns(
                columns, leaves, codes, row_classes, intervals=False
            )
        else:
            if self.rescale:
                centres = _rescaled(mixed, centres, classes)
            released = _single_values(people.frame, mixed, centres, row_classes)
        return Recoded(released, row_classes)

    def _groups(self, records, persons):
        """Groups of k records or more; of k different persons, where these are given.

        The first record of each person, in the order of values, is grouped; the others
        join the group of nearest centre.
        """
        if persons is None:
            label = group_records(records, self.k, self.end_rule)
            if self.improve:
                label = improve_groups(records, label, self.k, self.n_iterations)
            return label
        first = np.sort(np.unique(persons, return_index=True)[1])
        only = records._replace(
            values=records.values[first], codes=records.codes[first]
        )
        label = np.full(len(persons), -1)
        label[first] = self._groups(only, None)
        join_nearest(records, label)
        return label


def is_of_centres(anonymizer: KAnonymizer) -> bool:
    """Whether released cells are means, medians or modes of their classes.

    Each stands for one value then, which need not be that of its row: how many values
    labels stand for tells of no loss.
    """
    return isinstance(anonymizer, MDAVAnonymizer) and anonymizer.release == "centroids"


def _squares(numbers, classes):
    """Sum of squared differences of numbers from the mean of their class."""
    size = np.bincount(classes)
    total = 0.0
    for own in numbers.T:
        within = own - (np.bincount(classes, own) / size)[classes]
        total += float(within @ within)
    return total


# --- centroids ----------------------------------------------------------------


def _centroids(mixed, centres):
    """Centres of classes in the units of their columns, means not rounded."""
    found = {}
    for j, (column, own, centre) in enumerate(
        zip(mixed.columns, mixed.leaves, centres, strict=True)
    ):
        if mixed.is_number[j] and column.kind != "datetime":
            found[column.name] = pd.Series(own.values[0] + centre)
        else:
            found[column.name] = _typed(mixed, j, centre, column)
    return pd.DataFrame(found)


def _typed(mixed, j, centre, column):
    """Centres of a column as values of a type."""
    own = mixed.leaves[j]
    if mixed.is_nominal[j]:
        return from_values(own.values[centre], own.missing[centre], column)
    missing = np.isnan(centre)
    centre = np.where(missing, 0, centre)
    if mixed.is_ordinal[j]:
        centre = centre.astype(np.int64)
    elif own.values.dtype == np.int64:
        # Summed as Python's integers: neither may fit in 64 bits.
        whole = [int(own.values[0]) + round(number) for number in centre.tolist()]
        limits = np.iinfo(np.int64)
        centre = np.array([min(max(w, limits.min), limits.max) for w in whole])
    else:
        centre = own.values[0] + centre
    return from_values(centre, missing, column)


def _rescaled(mixed, centres, classes):
    """Centres with the variance of the numbers of the table, their mean kept."""
    means = np.flatnonzero(mixed.is_number)
    found = list(centres)
    for j, numbers in zip(means, mixed.numbers.T, strict=True):
        original, released = numbers[~mixed.missing(j)], centres[j][classes]
        released = released[~np.isnan(released)]
        if not len(released):
            continue
        spread = released.std()
        if mixed.columns[j].kind != "datetime" and np.ptp(released) > 0 and spread > 0:
            mean = released.mean()
            ratio = original.std() / spread
            found[j] = mean + (centres[j] - mean) * ratio
    return found


def _single_values(frame, mixed, centres, classes):
    """Columns whose cells are the centres; their leaves are those and the originals."""
    n = len(frame)
    columns = tuple(map(_open, mixed.columns))
    both = {}
    for j, (column, centre) in enumerate(zip(columns, centres, strict=True)):
        original = from_values(*to_values(frame[column.name], column), column)
        typed = _typed(mixed, j, centre, column)
        both[column.name] = pd.concat([original, typed], ignore_index=True)
    columns, leaves, codes = code_leaves(pd.DataFrame(both), Schema(columns))
    found = []
    for column, own, code in zip(columns, leaves, codes.T, strict=True):
        used, label = np.unique(code[n:], return_inverse=True)
        members = np.zeros((len(used), len(own.leaves)), dtype=bool)
        members[np.arange(len(used)), used] = True
        ordered = column.kind in ORDERED_KINDS
        texts = set_labels(members, own.leaves, ordered, own.texts)
        found.append(
            GeneralizedColumn(
                column.name, own.leaves, ordered, members, texts, label[classes]
            )
        )
    return tuple(found)


def _open(column):
    """A column that holds means too: beyond its bounds, and between its steps."""
    if column.kind == "integer":
        dtype = "Int64" if holds_missing(column) else "int64"
        return replace(column, bounds=None, dtype=dtype)
    if column.kind == "real" and "Decimal" not in column.dtype:
        return replace(column, bounds=None, step=None, format=None, dtype="float64")
    return replace(column, bounds=None)
