"""Rules that the real table respects, and how many rows of others break them.

Which rules, says `coclust_synth.tables.rules`: orders of dates and numbers, sums,
products, parts of dates, codes that go with one label, values that never meet. They are
found on the real table, of its 80 % or all, as the generators of this package find
those that they keep. Of a rule that holds nearly nothing is told.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows, Coding
from coclust_synth.evaluation.comparing.scores import Figure, Key, of_share
from coclust_synth.evaluation.comparing.unfolded import Unfolded
from coclust_synth.exceptions import no_data_warnings
from coclust_synth.generators.plain.fitting import default_k
from coclust_synth.tables.parts.rare.rare import DEFAULT_RARE
from coclust_synth.tables.parts.rare.released import release_values
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.kept import Rules
from coclust_synth.tables.rules.measured import count_broken
from coclust_synth.tables.schema import Schema

_STREAM = 7


@dataclass(frozen=True, eq=False)
class KnownRules:
    """The rules of a table, with what it takes to count who breaks them.

    Attributes
    ----------
    rules : Rules
    evidence : Evidence
        Of the real table.
    """

    rules: Rules
    evidence: Evidence

    @classmethod
    def of(cls, real: pd.DataFrame, schema: Schema) -> "KnownRules":
        """Find the rules of a table.

        Parameters
        ----------
        real : DataFrame of n rows
        schema : Schema
            Complete, of columns that are all kept.
        """
        rare = min(DEFAULT_RARE, len(real))
        with no_data_warnings():
            released = release_values(real, schema, rare)
            evidence = Evidence.of(released)
            found = rules_of(evidence, None, default_k(len(real)))
        return cls(found, evidence)

    @property
    def texts(self) -> list[str]:
        """The rules in words."""
        return [str(rule) for rule in self.rules.all]

    @property
    def broken_by_real(self) -> NDArray[np.float64]:
        """Share of the real rows that break each rule; nan if it holds nearly."""
        return _shares([r.broken for r in self.rules.all], len(self.evidence.codes))

    def broken(
        self, frame: pd.DataFrame, known: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Share of the rows of another table that break each rule.

        Parameters
        ----------
        frame : DataFrame of n rows
            With the columns of the real one.
        known : ndarray of bool, shape (n,)
            Rows that have no value which the real table lacks: only they are asked.

        Returns
        -------
        ndarray of shape (n_rules,)
            nan of a rule that holds nearly, and where no row can be asked.
        """
        if not known.any():
            return np.full(len(self.rules.all), np.nan)
        own, of = frame[known].reset_index(drop=True), self.evidence
        with no_data_warnings():
            asked = Evidence.of_drawn(own, of.coding, of.of_codes)
        return _shares(count_broken(self.rules, asked), len(own))


def shares_of_rules(
    unfolded: Unfolded, coding: Coding, rows: Mapping[str, CodedRows], seed: int
) -> pd.DataFrame:
    """Each rule of the real table, and the shares of the rows that break it.

    Parameters
    ----------
    unfolded : Unfolded
        The tables; no rule is told that a text and its own numbers go together.
    coding : Coding
    rows : mapping of str to CodedRows
        Those of the tables, coded.
    seed : int
        Of the columns that are shuffled on their own.

    Returns
    -------
    DataFrame
        A row for each rule that is not held nearly only: ``rule``, ``columns``, and the
        shares of ``real``, ``released``, ``fresh`` (nan without a holdout) and
        ``independent``.
    """
    tables = unfolded.tables
    known = KnownRules.of(tables.real, tables.schema)
    rng = np.random.default_rng([seed, _STREAM])
    independent = pd.DataFrame(
        {
            name: tables.real[name].to_numpy()[rng.permutation(len(tables.real))]
            for name in coding.names
        }
    ).astype(tables.real.dtypes)

    def broken(frame, own):
        return known.broken(frame, is_known(own, coding))

    every = np.ones(len(independent), dtype=bool)
    found = {
        "rule": known.texts,
        "columns": [rule.relation.columns for rule in known.rules.all],
        "real": known.broken_by_real,
        "released": broken(tables.released, rows["released"]),
        "fresh": np.nan,
        "independent": known.broken(independent, every),
    }
    if "holdout" in rows:
        found["fresh"] = broken(tables.frames["holdout"], rows["holdout"])
    frame = pd.DataFrame(found)
    told = [not unfolded.is_of_one_text(own.relation) for own in known.rules.all]
    is_told = frame["real"].notna() & np.array(told, dtype=bool)
    return frame[is_told].reset_index(drop=True)


def is_known(rows: CodedRows, coding: Coding) -> NDArray[np.bool_]:
    """Whether each row has only values that the real table has."""
    return np.asarray((rows.parts < coding.n_parts - 1).all(axis=1))


def rule_figures(rules: pd.DataFrame, n_asked: int) -> dict[Key, dict[str, Figure]]:
    """The figures of `shares_of_rules` by what takes the place of the release.

    Parameters
    ----------
    rules : DataFrame
    n_asked : int
        Rows of the release that `is_known`.
    """
    found: dict = {}
    for rule in rules.itertuples():
        figures = {
            place: Figure(float(getattr(rule, place)), note=rule.rule)
            for place in ("fresh", "independent")
        }
        hits = rule.released * n_asked
        figures["released"] = of_share(hits, n_asked, rule.rule)
        figures["bootstrap"] = Figure(float(rule.real))
        # Two rules can be about the same columns.
        most = found.get(("broken_rules", rule.columns))
        if most is None or most["released"].value < rule.released:
            found["broken_rules", rule.columns] = figures
    if found:
        worst = max(found.values(), key=lambda figures: figures["released"].value)
        found["most_broken_rule", ()] = worst
    return found


def _shares(counts, n):
    return np.array([np.nan if count is None else count / n for count in counts])
