"""What each figure of an evaluation is: group, unit, which way is better, how to read.

``docs/measures.md`` says of each what it cannot tell.
"""

from functools import partial
from typing import NamedTuple

LOWER, HIGHER, HALF = "lower is better", "higher is better", ".5 is best"
ORDERS = range(1, 7)  # columns in a set
# What individuals are: rows, each of a person of its own; persons, as a column names
# them; or rows of which several can be one person's, where nothing tells which.
INDIVIDUALS, PERSONS, ROWS = "individuals", "persons", "rows"


class Measure(NamedTuple):
    """One measure.

    Attributes
    ----------
    title : str
        In a few words.
    group : {"utility", "risk"}
    unit : str
    direction : str
    reads : str
        How to read it, in a line.
    needs_holdout : bool
    of_columns : bool
        Whether it is one of single columns, beside the mean of all.
    """

    title: str
    group: str
    unit: str
    direction: str
    reads: str
    needs_holdout: bool = False
    of_columns: bool = False

    @property
    def is_expected(self) -> bool:
        """Whether it is told of every release, if only that it was not measured."""
        return self.needs_holdout and not self.of_columns


def _measure(group, title, reads, unit="share", direction=LOWER, **more):
    return Measure(title, group, unit, direction, reads, **more)


_utility, _risk = partial(_measure, "utility"), partial(_measure, "risk")


def _of_sets():
    for order in ORDERS:
        of = "single columns" if order == 1 else f"sets of {order} columns"
        yield (
            f"mean_total_variation_{order}",
            _utility(
                f"Total variation, {of}",
                "share of the rows that would have to change, mean over sets",
            ),
        )
        yield (
            f"mean_hellinger_{order}",
            _utility(
                f"Hellinger distance, {of}",
                "as total variation, but differences of rare values count for more",
                "distance in [0, 1]",
            ),
        )
        yield (
            f"spread_hellinger_{order}",
            _utility(
                f"Hellinger distance, labels spread evenly, {of}",
                "what labels blur, each read as if its values were equally likely",
                "distance in [0, 1]",
            ),
        )


def _of_models():
    for model, of in (("boosting", "Boosting"), ("bayes", "Naive Bayes")):
        for score, name, unit in (
            ("auc", "AUC", "area in [0, 1]"),
            ("accuracy", "accuracy", "share"),
        ):
            for mean in ("", "mean_"):
                over = ", mean of all columns" if mean else ""
                yield (
                    f"{mean}{model}_{score}",
                    _utility(
                        f"{of} trained on the release, {name}{over}",
                        "how well a model learnt from the release predicts held-out "
                        "rows",
                        unit,
                        HIGHER,
                        needs_holdout=True,
                        of_columns=not mean,
                    ),
                )
                yield (
                    f"{mean}{model}_{score}_of_real",
                    _utility(
                        f"{of} trained on the real table, {name}{over}",
                        "the best to be had: the same model, learnt from the real "
                        "table",
                        unit,
                        HIGHER,
                        needs_holdout=True,
                        of_columns=not mean,
                    ),
                )


# What figures of classes say of a synthetic release.
_OF_NOBODY = " (it says nothing of drawn rows, which are nobody's)"


def _of_attackers():
    who = {
        "prosecutor": "knows that somebody is in the table",
        "journalist": "knows only the population",
    }
    figures = {
        "mean": "mean chance to find {one}",
        "largest": "largest chance to find {one}",
        "at_risk": "share of the {all} found with a chance above .2",
    }
    units = {
        "": {"one": "an individual", "all": INDIVIDUALS},
        "household_": {"one": "a household", "all": "households"},
    }
    for attacker, knows in who.items():
        for infix, unit in units.items():
            for figure, title in figures.items():
                if (attacker, infix, figure) == ("journalist", "", "mean"):
                    continue  # the marketer's
                yield (
                    f"{attacker}_{infix}{figure}",
                    _risk(
                        f"{attacker.capitalize()}: {title.format_map(unit)}",
                        f"by whoever {knows} and the quasi-identifiers of all"
                        f"{_OF_NOBODY}",
                    ),
                )
    yield (
        "marketer",
        _risk(
            "Marketer: share of the individuals found",
            "by whoever links all released rows with the population at once"
            f"{_OF_NOBODY}",
        ),
    )


def _of_perturbed():
    figures = {
        "changed_cells": (
            "Cells with another value than before",
            *("utility", "share", "of the rows"),
        ),
        "il1s": (
            "Information loss IL1s",
            *("utility", "multiple of what two rows differ by"),
            "change of a number over the root of 2 times its standard deviation",
        ),
        "interval_disclosure": (
            "Interval disclosure",
            *("risk", "share"),
            "true numbers whose rank is near that of the released one; about .1 by "
            "chance",
        ),
    }
    for name, (title, group, unit, reads) in figures.items():
        for mean, over in (("mean_", ", mean of changed columns"), ("", "")):
            yield f"{mean}{name}", Measure(f"{title}{over}", group, unit, LOWER, reads)


_BEYOND = (
    "share of guesses that are right, beyond that on people who were not learnt "
    "from; 0 at best"
)

MEASURES: dict[str, Measure] = {
    **dict(_of_sets()),
    "total_variation": _utility(
        "Total variation of a column", "share of the rows that would have to change"
    ),
    "hellinger": _utility(
        "Hellinger distance of a column",
        "as total variation, but differences of rare values count for more",
        "distance in [0, 1]",
    ),
    "mean_association_change": _utility(
        "Change of associations, mean of all pairs",
        "Pearson, Cramér's V or correlation ratio, by the kinds of the two columns",
        "correlation",
    ),
    "largest_association_change": _utility(
        "Change of associations, largest",
        "of the pair of columns that is named",
        "correlation",
    ),
    "total_error": _utility(
        "Error of a total",
        "for as many rows as the real table has",
        "share of the real one",
    ),
    "deviation_error": _utility(
        "Error of a standard deviation",
        "above what a bootstrap copy has: the spread is not that of the table",
        "share of the real one",
    ),
    "quantile_error": _utility(
        "Error of quantiles, the largest",
        "of the quantiles of 1, 5, 25, 50, 75, 95 and 99 %",
        "share of the range from 5 to 95 %",
    ),
    "missing_change": _utility(
        "Change of the share that is missing",
        "difference of the shares of rows without a value",
    ),
    "unseen_values": _utility(
        "Cells with a value that the real table lacks",
        "categories, such as groups of rare ones, and missing marks",
    ),
    "mean_query_error": _utility(
        "Error of count queries, mean",
        "of 200 random conjunctions of one to three columns",
        "share of the real count",
    ),
    "median_query_error": _utility(
        "Error of count queries, median",
        "half of the queries are wrong by less",
        "share of the real count",
    ),
    **dict(_of_models()),
    "told_from_holdout": _utility(
        "Told from rows kept aside, by boosting",
        "above .5: a classifier tells released rows from real ones",
        "area in [0, 1]",
        HALF,
        needs_holdout=True,
    ),
    "told_from_training": _utility(
        "Told from the rows learnt from, by boosting",
        "below .5: real rows are taken for released ones, which were copied",
        "area in [0, 1]",
        HALF,
    ),
    "broken_rules": _utility(
        "Rows that break a rule", "of a rule that the real table respects"
    ),
    "most_broken_rule": _utility(
        "Rows that break a rule, the most", "of the rule that is broken by most rows"
    ),
    "information_loss_set": _utility(
        "Information loss, by sets", "share of a column's values that a cell stands for"
    ),
    "information_loss_range": _utility(
        "Information loss, by ranges",
        "as by sets, but of numbers the share of their range",
    ),
    "arx_loss": _utility("Information loss, as ARX counts it", "its Loss"),
    "discernibility": _utility(
        "Discernibility", "sum of squared classes", "pairs of rows"
    ),
    "completeness": _utility(
        "Completeness", "rows that are not suppressed", direction=HIGHER
    ),
    "average_class_size": _utility(
        "Average size of a class, over k",
        "1 where every class has k rows",
        "multiple of k",
    ),
    "classification_metric": _utility(
        "Classification metric",
        "rows that do not have the commonest value of their class",
    ),
    "precision": _utility(
        "Precision, PREC",
        "1 for original values, 0 where all is at the root of its hierarchy",
        direction=HIGHER,
    ),
    **dict(_of_perturbed()),
    "linked_rows": _risk(
        "Rows found by the true values of what was changed",
        "by whoever takes the released row nearest to somebody's true values",
    ),
    "smallest_class": _risk(
        "Smallest class",
        f"k: rows, or persons, that look alike in all quasi-identifiers{_OF_NOBODY}",
        "individuals",
        HIGHER,
    ),
    "uniques_reproduced": _risk(
        "Unique rows reproduced",
        "rows unique in the real table that the release holds, by chance or copied",
    ),
    "uniques_beyond_chance": _risk(
        "Unique rows reproduced, beyond chance",
        "by how much it holds more of the rows learnt from than of rows kept aside; "
        "0 at best",
        needs_holdout=True,
    ),
    "membership_uniques": _risk(
        "Membership of unique rows",
        "above .5: the nearest released row tells who was learnt from",
        "area in [0, 1]",
        HALF,
        needs_holdout=True,
    ),
    "membership_distance": _risk(
        "Membership by distance",
        "above .5: the nearest released row tells who was learnt from",
        "area in [0, 1]",
        HALF,
        needs_holdout=True,
    ),
    "membership_isolated": _risk(
        "Membership of isolated rows",
        "above .5: among the 15 % who stand out, it tells who was learnt from",
        "area in [0, 1]",
        HALF,
        needs_holdout=True,
    ),
    "membership_density": _risk(
        "Membership by density",
        "above .5: released rows crowd around those learnt from",
        "area in [0, 1]",
        HALF,
        needs_holdout=True,
    ),
    "nearer_to_training": _risk(
        "Nearer to rows learnt from than to others",
        "share of the released rows; ties count half; above .5 means copying",
        direction=HALF,
        needs_holdout=True,
    ),
    "median_distance": _risk(
        "Distance of a row learnt from to the nearest released one, median",
        "below that of rows kept aside: the release is too near to its rows",
        "columns",
        HIGHER,
        needs_holdout=True,
    ),
    "protection_profiles": _risk(
        "Protection ratio, of profiles",
        "released profiles that no real row has",
        direction=HIGHER,
    ),
    "protection_rows": _risk(
        "Protection ratio, of rows",
        "released rows whose profile no real row has",
        direction=HIGHER,
    ),
    "protection_matching": _risk(
        "Protection ratio, of rows left when each real row takes one away",
        "released rows beyond the real ones of the same profile",
        direction=HIGHER,
    ),
    "singling_out_univariate": _risk(
        "Singling out, by one column", _BEYOND, needs_holdout=True
    ),
    "singling_out_multivariate": _risk(
        "Singling out, by several columns", _BEYOND, needs_holdout=True
    ),
    "linkability": _risk("Linkability of two halves", _BEYOND, needs_holdout=True),
    "inference": _risk("Inference of a column", _BEYOND, needs_holdout=True),
    "mean_inference": _risk(
        "Inference, mean of all columns", _BEYOND, needs_holdout=True
    ),
    "record_linkage": _risk(
        "Record linkage, there and back", _BEYOND, needs_holdout=True
    ),
    "population_uniques": _risk(
        "People who are unique, P(PU)",
        "unique in the compared columns among all real rows: about the table, not "
        "the release",
    ),
    "uniques_at_large": _risk(
        "Unique released rows who are unique people, P(PU | SU)",
        "of the rows that are unique in the release, those that equal a unique real "
        "row",
    ),
    **dict(_of_attackers()),
}

_SINGULAR = {PERSONS: "a person", ROWS: "a row"}
#: Of figures that count rows whoever they are of, where these are not individuals.
_OF_ROWS = {
    "population_uniques": "Real rows that are unique, P(PU)",
    "uniques_at_large": "Unique released rows that are unique real rows, P(PU | SU)",
}


def measure_of(name: str, counted: str = INDIVIDUALS) -> Measure:
    """A measure, in the words of who is counted.

    Parameters
    ----------
    name : str
        A key of `MEASURES`.
    counted : {"individuals", "persons", "rows"}, default="individuals"

    Examples
    --------
    >>> measure_of("prosecutor_largest", "persons").title
    'Prosecutor: largest chance to find a person'
    >>> measure_of("smallest_class", "rows").unit
    'rows'
    """
    own = MEASURES[name]
    if counted == INDIVIDUALS:
        return own
    title = _OF_ROWS.get(name, own.title)
    for of, word in (("an individual", _SINGULAR[counted]), (INDIVIDUALS, counted)):
        title = title.replace(of, word)
    unit = counted if own.unit == INDIVIDUALS else own.unit
    reads = own.reads.replace("rows, or persons, that look", f"{counted} that look")
    return own._replace(title=title, unit=unit, reads=reads)


def note_of(name: str, counted: str) -> str:
    """What is noted of who is counted; empty where each row is an individual.

    Parameters
    ----------
    name : str
        A key of `MEASURES`: of a figure of classes.
    counted : {"individuals", "persons", "rows"}
    """
    if counted == INDIVIDUALS or "household" in name:
        return ""
    if counted == PERSONS:
        return "of persons"
    than = "the chance to find a person is as high, or higher"
    if name == "smallest_class":
        than = "a class has as many persons, or fewer"
    return f"of rows; as a person can have several, {than}"
