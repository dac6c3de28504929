"""All measures of a release at once, each beside what it can be at best and at worst.

Every figure is also taken of three tables that take the place of the release:

- **fresh rows**, those of the holdout: what sampling error alone does, and what is told
  of people whom nobody learnt from;
- a **bootstrap copy** of the real rows: as close as can be, and no protection at all;
- **independent columns**: each drawn on its own, nothing of what goes with what.

A release that is as useful as the second and as safe as the first is as good as can be.

All figures are exact functions of the real rows, with nothing added to protect anyone:
they are as confidential as the table. For a release with differential privacy,
publishing them spends privacy that its ledger does not count.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.coded import (
    CodedRows,
    bootstrap_copy,
    code_tables,
    independent_columns,
    split_rows,
)
from coclust_synth.evaluation.comparing.scores import Figure, Figures, Key, Setting
from coclust_synth.evaluation.comparing.unfolded import Unfolded
from coclust_synth.evaluation.evaluation_result import (
    ColumnShares,
    Details,
    Evaluation,
    Facts,
    Score,
)
from coclust_synth.evaluation.findings import find, find_totals, find_unlike
from coclust_synth.evaluation.measures import MEASURES, measure_of, note_of
from coclust_synth.evaluation.risk.attacks import attack_figures
from coclust_synth.evaluation.risk.copies import (
    copy_figures,
    profile_codes,
    uniqueness_figures,
)
from coclust_synth.evaluation.risk.linkage import Linkage, Sources
from coclust_synth.evaluation.risk.nearest import nearest_figures
from coclust_synth.evaluation.risk.perturbed import check_row_by_row, perturbed_figures
from coclust_synth.evaluation.risk.scenario import Scenario
from coclust_synth.evaluation.utility.associations import association_figures
from coclust_synth.evaluation.utility.broken_rules import (
    is_known,
    rule_figures,
    shares_of_rules,
)
from coclust_synth.evaluation.utility.counts import number_figures, query_figures
from coclust_synth.evaluation.utility.distances import (
    distance_figures,
    pair_distances,
    worst_cells,
)
from coclust_synth.evaluation.utility.generalized import loss_figures
from coclust_synth.evaluation.utility.learning import apart_figures, learning_figures
from coclust_synth.exceptions import TableError
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.reading.settling import settle, settle_patterns
from coclust_synth.tables.reading.table import TableLike, as_table
from coclust_synth.validation import check_integer

NO_HOLDOUT = "not measured: it needs rows that the release was made without"
TOO_FEW = "not measured: there are too few rows or columns"
# What the release is compared with, in the order of the columns of the scores.
REFERENCES = ("fresh", "bootstrap", "independent")


class _Family(NamedTuple):
    """Some measures that are taken together."""

    title: str
    figures: Callable[[Setting, CodedRows], Figures]
    # Whether it looks at the holdout: fresh rows are then one half of it.
    on_holdout: bool = False
    needs_holdout: bool = False


_FAMILIES = (
    _Family("margins", distance_figures),
    _Family("associations", association_figures),
    _Family("numbers", number_figures),
    _Family("count queries", query_figures),
    _Family("told apart", apart_figures, True),
    _Family("copies", copy_figures, True),
    _Family("uniqueness", uniqueness_figures, True),
    _Family("nearest rows", nearest_figures, True, True),
    _Family("attacks", attack_figures, True, True),
)
N_STEPS = len(_FAMILIES) + 5
# Share of a holdout that may equal real rows beyond what chance explains.
_MOST_SHARED = 0.02


def evaluate(
    real: TableLike,
    released: TableLike | GeneralizedTable,
    holdout: TableLike | None = None,
    *,
    scenario: Scenario | None = None,
    hierarchies: Mapping[str, GeneralizationHierarchy] | None = None,
    perturbed: Sequence[str] = (),
    k: int | None = None,
    of_centres: bool = False,
    random_state: int = 0,
    callback: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Measure what a released table is worth, and what it tells of the real rows.

    Parameters
    ----------
    real : DataFrame, path or Table
        The rows that the release was made from.
    released : DataFrame, path, Table or GeneralizedTable
        With columns of the real table, all or some. Values of a k-anonymous table are
        drawn from its labels, each equally likely.
    holdout : DataFrame, path or Table, optional
        Rows that were drawn as the real ones, at random, and that the release was made
        without. Figures that need one are missing without it.
    scenario : Scenario, optional
        What somebody may know of a person, whose the released rows are, and among whom
        a person is sought. By default the generalised columns of a k-anonymous release
        are known, and all columns of others.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Of a k-anonymous release, those that PREC counts levels of.
    perturbed : sequence of str, default=()
        Columns whose values were changed in their rows, by PRAM, swapping and the like.
        The released rows are then the real ones in the same order: each is compared
        with itself.
    k : int, optional
        That was asked of a k-anonymous release, which C_AVG is over; by default the
        rows of its smallest class.
    of_centres : bool, default=False
        Whether the cells of a k-anonymous release are means, medians or modes of their
        classes, as of `MDAVAnonymizer`: losses of labels do not apply then.
    random_state : int, default=0
    callback : callable, optional
        Called with what is measured next, its number, and how many there are.

    Returns
    -------
    Evaluation
        As confidential as the real table: see the head of this module.

    Raises
    ------
    SchemaError
        If a released column is none of the real table, values are of another kind, or
        a hierarchy lacks values.
    TableError
        If a table has fewer than two rows, perturbed rows are not as many as the real
        ones, or the holdout shares more rows with the
        real table than chance explains; if a released row names nobody, or a weight is
        below 1.
    ParameterError
        If `random_state` is no seed, or the scenario or `perturbed` names columns that
        are not there.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.integers(0, 9, 300), "y": rng.normal(size=300)})
    >>> copied = table[:200].sample(100, random_state=0)
    >>> evaluate(table[:200], copied, table[200:])["uniques_beyond_chance"].value
    0.5
    """
    check_integer("random_state", random_state, minimum=0)
    scenario = Scenario() if scenario is None else scenario
    table = as_table(real)
    labelled = released if isinstance(released, GeneralizedTable) else None
    drawn, as_they_are = released, {*perturbed}
    if labelled is not None:
        drawn = labelled.draw(random_state)
        labelled = scenario.apart_from(labelled)
        table = _settled(table, labelled)
        as_they_are |= {*labelled.names}
    table = settle_patterns(table)
    tables = AlikeTables.of(table, drawn, holdout, compares=scenario.compares)
    check_row_by_row(tables, perturbed)
    known, linkage = scenario.known(tables.schema.names, labelled), None
    whose = scenario.persons_of(table.frame)
    unfolded = Unfolded.of(tables, table, but=as_they_are, persons=whose)
    coding, rows = code_tables(unfolded.tables)
    check_holdout(rows["real"], rows.get("holdout"))
    if known:
        sources = Sources(table, drawn, holdout, labelled)
        linkage = Linkage.of(sources, scenario, known, random_state)
    run = _Run(coding, rows, unfolded.with_made(known), random_state, callback)

    rules = run.step(
        "rules", lambda: shares_of_rules(unfolded, coding, rows, random_state)
    )
    found = rule_figures(rules, int(is_known(rows["released"], coding).sum()))
    for family in _FAMILIES:
        found |= run.step(family.title, lambda family=family: run.compared(family))
    found |= run.step("models", run.learnt)
    found |= run.step("classes", lambda: _classes(linkage, scenario))
    found |= run.step(
        "losses",
        lambda: _losses(
            labelled, table.frame, linkage, tables, hierarchies or {}, (k, of_centres)
        ),
    )
    if perturbed:
        found |= _by_key(perturbed_figures(tables, perturbed, random_state))
    details = run.step("details", lambda: _details(coding, rows, rules))
    scores = _scores(found, rows, scenario.counted)
    facts = Facts(
        n_real=rows["real"].n,
        n_released=rows["released"].n,
        n_holdout=rows["holdout"].n if "holdout" in rows else None,
        columns={c.name: str(c.kind) for c in coding.schema.columns},
        left_out=tables.left_out,
        is_generalized=labelled is not None,
        random_state=random_state,
        quasi_identifiers=known,
        counted=scenario.counted,
        made=unfolded.made,
    )
    findings = (
        *find_unlike(coding, rows["real"], rows.get("holdout")),
        *find(scores, details.rules, facts),
        *find_totals(unfolded.tables),
    )
    return Evaluation(scores, facts, details, findings)


def check_holdout(real: CodedRows, holdout: CodedRows | None) -> None:
    """Refuse a holdout that shares more rows with the real table than by chance.

    By chance a fresh row equals one of the real table about as often as a real row
    equals another one [1]_. A holdout that holds rows that were learnt from would make
    copying look like chance.

    Raises
    ------
    TableError

    References
    ----------
    .. [1] I. J. Good, "The population frequencies of species and the estimation of
       population parameters", Biometrika 40, 1953.
    """
    if holdout is None:
        return
    of_real, of_holdout = profile_codes(real.exact, holdout.exact)
    counts = np.bincount(of_real)
    expected = float((counts[of_real] > 1).mean())
    shared = float(np.isin(of_holdout, of_real).mean())
    noise = np.sqrt(max(expected * (1 - expected), 1 / holdout.n) / holdout.n)
    if shared > expected + max(_MOST_SHARED, 5 * noise):
        raise TableError(
            "Expected a holdout of rows that the release was made without, of which "
            f"about {expected:.1%} equal a real row by chance. Received one in which "
            f"{shared:.1%} do. Set rows of the table aside first, make the release "
            "from the other rows, and give these as the real table."
        )


def check_against_holdout(real: TableLike, holdout: TableLike) -> None:
    """Refuse a holdout before there is a release to hold against it.

    Parameters
    ----------
    real : DataFrame, path or Table
    holdout : DataFrame, path or Table

    Raises
    ------
    SchemaError, TableError, ParameterError
        As `evaluate`, of a release of all columns.
    """
    table = settle_patterns(as_table(real))
    _, rows = code_tables(AlikeTables.of(table, table, holdout))
    check_holdout(rows["real"], rows["holdout"])


class _Run:
    """Measures of the release, and of what takes its place."""

    def __init__(self, coding, rows, known, seed, callback):
        self.rows = rows
        self.setting = Setting(coding, rows["real"], rows.get("holdout"), seed)
        if known:
            columns = np.array([coding.names.index(name) for name in known])
            self.setting = self.setting._replace(known=columns)
        rng = self.setting.rng(0)
        n = rows["released"].n
        self.places = {
            "released": (rows["released"], self.setting._replace(intervals=True)),
            "bootstrap": (bootstrap_copy(rows["real"], n, rng), self.setting),
            "independent": (independent_columns(rows["real"], n, rng), self.setting),
        }
        self.fresh = None
        if "holdout" in rows:
            half, other = split_rows(rows["holdout"], rows["holdout"].n // 2, rng)
            self.fresh = (half, self.setting._replace(holdout=other))
        self._callback, self._done = callback, 0

    def step(self, title, measure):
        """One of the steps that a progress bar tells of."""
        if self._callback is not None:
            self._callback(title, self._done, N_STEPS)
        self._done += 1
        # Numbers of a release can be so large that their squares are not told.
        with np.errstate(over="ignore", invalid="ignore"):
            return measure()

    def compared(self, family):
        """The figures of a family, of the release and of all that takes its place."""
        if family.needs_holdout and self.fresh is None:
            return {}
        places = dict(self.places)
        if self.fresh is not None:
            whole = (self.rows["holdout"], self.setting)
            places["fresh"] = self.fresh if family.on_holdout else whole
        return _by_key(
            {
                place: family.figures(setting, rows)
                for place, (rows, setting) in places.items()
            }
        )

    def learnt(self):
        """What models learn, of the release, of the real rows, and of others."""
        if self.fresh is None:
            return {}
        places = self.places | {"fresh": self.fresh}
        found = _by_key(
            {
                place: learning_figures(setting, rows)
                for place, (rows, setting) in places.items()
            }
        )
        _, with_intervals = self.places["released"]
        of_real = learning_figures(with_intervals, self.rows["real"])
        for (name, columns), figure in of_real.items():
            found[f"{name}_of_real", columns] = {"released": figure}
        return found


def _by_key(places: Mapping[str, Mapping[Key, Figure]]) -> dict[Key, dict[str, Figure]]:
    """Figures of each place as the places of each figure."""
    found: dict = {}
    for place, figures in places.items():
        for key, figure in figures.items():
            found.setdefault(key, {})[place] = figure
    return found


def _settled(table, labelled):
    """The real table, of which columns were decided about when they were released."""
    named = {"quasi-identifier": labelled.names, "sensitive": labelled.others.columns}
    for role, names in named.items():
        there = [name for name in names if name in table.schema.names]
        table = settle(table, role, *there)
    return table


def _classes(linkage, scenario):
    """Risks of the classes, where any quasi-identifier is known."""
    if linkage is None:
        return {}
    found = linkage.figures()
    for (name, columns), figure in found["released"].items():
        note = "; ".join(filter(None, [note_of(name, scenario.counted), figure.note]))
        found["released"][name, columns] = figure._replace(note=note)
    return _by_key(found)


def _losses(labelled, real, linkage, tables, hierarchies, how):
    """What labels lost; of what takes the place of the release, original values.

    How it was made: the k that was asked for, or None, and whether cells are centres.
    """
    if labelled is None:
        return {}
    names = [name for name in labelled.others.columns if name in tables.schema.names]
    frames = {"bootstrap": tables.real, "fresh": tables.frames.get("holdout")}
    others = {
        place: frame[names].reset_index(drop=True)
        for place, frame in frames.items()
        if frame is not None
    }
    others["independent"] = tables.real[names].reset_index(drop=True)
    k, of_centres = how
    reached = int(min(labelled.kept_class_sizes, default=0))
    k = reached if k is None else k
    asked = {"k": k, "is_reached": k == reached, "hierarchies": hierarchies}
    own = loss_figures(labelled, real, of_centres=of_centres, **asked)
    found = {"released": own}
    if linkage is not None:
        for place, table in linkage.original_tables(others).items():
            found[place] = loss_figures(table, real, **asked)
    return _by_key(found)


def _details(coding, rows, rules):
    real, released = rows["real"], rows["released"]
    columns = {}
    for k, name in enumerate(coding.names):
        n_parts = int(coding.n_parts[k])
        shares = [
            np.bincount(own.parts[:, k], minlength=n_parts) / own.n
            for own in (real, released)
        ]
        columns[name] = ColumnShares(coding.labels[k], *shares)
    cells = worst_cells(coding, real, released)
    return Details(columns, pair_distances(coding, real, released), cells, rules)


def _scores(found, rows, counted):
    """All scores, in the order of the catalogue, and those that could not be had."""
    scores, why = [], TOO_FEW if "holdout" in rows else NO_HOLDOUT
    for name, measure in MEASURES.items():
        own = {columns: by for (of, columns), by in found.items() if of == name}
        if not own and measure.is_expected:
            own[()] = {"released": Figure(np.nan, note=why)}
        told = measure_of(name, counted)
        scores += [_score(name, told, columns, by) for columns, by in own.items()]
    return tuple(scores)


def _score(name, measure, columns, by):
    figure = by.get("released", Figure(np.nan, note=TOO_FEW))
    others = [by.get(place, Figure(np.nan)).value for place in REFERENCES]
    return Score(
        name,
        measure.group,
        columns,
        figure.value,
        measure.unit,
        measure.direction,
        figure.low,
        figure.high,
        *others,
        figure.note,
    )
