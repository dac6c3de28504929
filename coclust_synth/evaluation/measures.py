"""What each figure of an evaluation is: group, unit, which way is better, how to read.

``docs/measures.md`` says of each what it cannot tell.
"""

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


def _of_sets():
    for order in ORDERS:
        of = "single columns" if order == 1 else f"sets of {order} columns"
        yield (
            f"mean_total_variation_{order}",
            Measure(
                f"Total variation, {of}",
                "utility",
                "share",
                LOWER,
                "share of the rows that would have to change, on the mean over sets",
            ),
        )
        yield (
            f"mean_hellinger_{order}",
            Measure(
                f"Hellinger distance, {of}",
                "utility",
                "distance in [0, 1]",
                LOWER,
                "as total variation, but differences of rare values count for more",
            ),
        )
        yield (
            f"spread_hellinger_{order}",
            Measure(
                f"Hellinger distance, labels spread evenly, {of}",
                "utility",
                "distance in [0, 1]",
                LOWER,
                "what labels blur, each read as if its values were equally likely",
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
                    Measure(
                        f"{of} trained on the release, {name}{over}",
                        "utility",
                        unit,
                        HIGHER,
                        "how well what was learnt from the release tells held-out rows",
                        True,
                        not mean,
                    ),
                )
                yield (
                    f"{mean}{model}_{score}_of_real",
                    Measure(
                        f"{of} trained on the real table, {name}{over}",
                        "utility",
                        unit,
                        HIGHER,
                        "the best to be had: how well the real table teaches it",
                        True,
                        not mean,
                    ),
                )


# What figures of classes say of a synthetic release.
_OF_NOBODY = " (of drawn rows, which are nobody's, it tells nothing)"


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
                    Measure(
                        f"{attacker.capitalize()}: {title.format_map(unit)}",
                        "risk",
                        "share",
                        LOWER,
                        f"by whoever {knows} and the quasi-identifiers of all"
                        f"{_OF_NOBODY}",
                    ),
                )
    yield (
        "marketer",
        Measure(
            "Marketer: share of the individuals found",
            "risk",
            "share",
            LOWER,
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
            "true numbers whose rank is near that of the released; about .1 by chance",
        ),
    }
    for name, (title, group, unit, reads) in figures.items():
        for mean, over in (("mean_", ", mean of changed columns"), ("", "")):
            yield f"{mean}{name}", Measure(f"{title}{over}", group, unit, LOWER, reads)


_BEYOND = (
    "share of the guesses right beyond those on people who were not learnt from; 0 at "
    "best"
)

MEASURES: dict[str, Measure] = {
    **dict(_of_sets()),
    "total_variation": Measure(
        "Total variation of a column",
        "utility",
        "share",
        LOWER,
        "share of the rows that would have to change",
    ),
    "hellinger": Measure(
        "Hellinger distance of a column",
        "utility",
        "distance in [0, 1]",
        LOWER,
        "as total variation, but differences of rare values count for more",
    ),
    "mean_association_change": Measure(
        "Change of associations, mean of all pairs",
        "utility",
        "correlation",
        LOWER,
        "Pearson, Cramér's V or correlation ratio, by the kinds of the two columns",
    ),
    "largest_association_change": Measure(
        "Change of associations, largest",
        "utility",
        "correlation",
        LOWER,
        "of the pair of columns that is named",
    ),
    "total_error": Measure(
        "Error of a total",
        "utility",
        "share of the real one",
        LOWER,
        "for as many rows as the real table has",
    ),
    "deviation_error": Measure(
        "Error of a standard deviation",
        "utility",
        "share of the real one",
        LOWER,
        "above what a bootstrap copy has: the spread is not that of the table",
    ),
    "quantile_error": Measure(
        "Error of quantiles, the largest",
        "utility",
        "share of the range from 5 to 95 %",
        LOWER,
        "of the quantiles of 1, 5, 25, 50, 75, 95 and 99 %",
    ),
    "missing_change": Measure(
        "Change of the share that is missing",
        "utility",
        "share",
        LOWER,
        "difference of the shares of rows without a value",
    ),
    "unseen_values": Measure(
        "Cells with a value that the real table lacks",
        "utility",
        "share",
        LOWER,
        "categories, such as groups of rare ones, and missing marks",
    ),
    "mean_query_error": Measure(
        "Error of count queries, mean",
        "utility",
        "share of the real count",
        LOWER,
        "of 200 random conjunctions of one to three columns",
    ),
    "median_query_error": Measure(
        "Error of count queries, median",
        "utility",
        "share of the real count",
        LOWER,
        "half of the queries are wrong by less",
    ),
    **dict(_of_models()),
    "told_from_holdout": Measure(
        "Told from rows kept aside, by boosting",
        "utility",
        "area in [0, 1]",
        HALF,
        "above .5: a classifier tells released rows from real ones",
        True,
    ),
    "told_from_training": Measure(
        "Told from the rows learnt from, by boosting",
        "utility",
        "area in [0, 1]",
        HALF,
        "below .5: real rows are taken for released ones, which were copied",
    ),
    "broken_rules": Measure(
        "Rows that break a rule",
        "utility",
        "share",
        LOWER,
        "of a rule that the real table respects",
    ),
    "most_broken_rule": Measure(
        "Rows that break a rule, the most",
        "utility",
        "share",
        LOWER,
        "of the rule that is broken by most rows",
    ),
    "information_loss_set": Measure(
        "Information loss, by sets",
        "utility",
        "share",
        LOWER,
        "share of a column's values that a cell stands for",
    ),
    "information_loss_range": Measure(
        "Information loss, by ranges",
        "utility",
        "share",
        LOWER,
        "as by sets, but of numbers the share of their range",
    ),
    "arx_loss": Measure(
        "Information loss, as ARX counts it", "utility", "share", LOWER, "its Loss"
    ),
    "discernibility": Measure(
        "Discernibility", "utility", "pairs of rows", LOWER, "sum of squared classes"
    ),
    "completeness": Measure(
        "Completeness", "utility", "share", HIGHER, "rows that are not suppressed"
    ),
    "average_class_size": Measure(
        "Average size of a class, over k",
        "utility",
        "multiple of k",
        LOWER,
        "1 where every class has k rows",
    ),
    "classification_metric": Measure(
        "Classification metric",
        "utility",
        "share",
        LOWER,
        "rows that the majority of their class is wrong about",
    ),
    "precision": Measure(
        "Precision, PREC",
        "utility",
        "share",
        HIGHER,
        "1 for original values, 0 where all is at the root of its hierarchy",
    ),
    **dict(_of_perturbed()),
    "linked_rows": Measure(
        "Rows found by the true values of what was changed",
        "risk",
        "share",
        LOWER,
        "by whoever takes the released row nearest to somebody's true values",
    ),
    "smallest_class": Measure(
        "Smallest class",
        "risk",
        "individuals",
        HIGHER,
        f"k: rows, or persons, that look alike in all quasi-identifiers{_OF_NOBODY}",
    ),
    "uniques_reproduced": Measure(
        "Unique rows reproduced",
        "risk",
        "share",
        LOWER,
        "rows alone in the real table that the release holds, by chance or copied",
    ),
    "uniques_beyond_chance": Measure(
        "Unique rows reproduced, beyond chance",
        "risk",
        "share",
        LOWER,
        "more of the rows learnt from than of rows kept aside, by chance; 0 at best",
        True,
    ),
    "membership_uniques": Measure(
        "Membership of unique rows",
        "risk",
        "area in [0, 1]",
        HALF,
        "above .5: the nearest released row tells who was learnt from",
        True,
    ),
    "membership_distance": Measure(
        "Membership by distance",
        "risk",
        "area in [0, 1]",
        HALF,
        "above .5: the nearest released row tells who was learnt from",
        True,
    ),
    "membership_isolated": Measure(
        "Membership of isolated rows",
        "risk",
        "area in [0, 1]",
        HALF,
        "above .5: of the 15 % who stand out, it tells who was learnt from",
        True,
    ),
    "membership_density": Measure(
        "Membership by density",
        "risk",
        "area in [0, 1]",
        HALF,
        "above .5: released rows crowd around those learnt from",
        True,
    ),
    "nearer_to_training": Measure(
        "Nearer to rows learnt from than to others",
        "risk",
        "share",
        HALF,
        "of the released rows; ties count half; above .5 means copying",
        True,
    ),
    "median_distance": Measure(
        "Distance of a row learnt from to the nearest released one, median",
        "risk",
        "columns",
        HIGHER,
        "below that of rows kept aside: the release is too near to its rows",
        True,
    ),
    "protection_profiles": Measure(
        "Protection ratio, of profiles",
        "risk",
        "share",
        HIGHER,
        "released profiles that no real row has",
    ),
    "protection_rows": Measure(
        "Protection ratio, of rows",
        "risk",
        "share",
        HIGHER,
        "released rows whose profile no real row has",
    ),
    "protection_matching": Measure(
        "Protection ratio, of rows left when each real row takes one away",
        "risk",
        "share",
        HIGHER,
        "released rows beyond the real ones of the same profile",
    ),
    "singling_out_univariate": Measure(
        "Singling out, by one column", "risk", "share", LOWER, _BEYOND, True
    ),
    "singling_out_multivariate": Measure(
        "Singling out, by several columns", "risk", "share", LOWER, _BEYOND, True
    ),
    "linkability": Measure(
        "Linkability of two halves", "risk", "share", LOWER, _BEYOND, True
    ),
    "inference": Measure(
        "Inference of a column", "risk", "share", LOWER, _BEYOND, True
    ),
    "mean_inference": Measure(
        "Inference, mean of all columns", "risk", "share", LOWER, _BEYOND, True
    ),
    "record_linkage": Measure(
        "Record linkage, there and back", "risk", "share", LOWER, _BEYOND, True
    ),
    "population_uniques": Measure(
        "People who are unique, P(PU)",
        "risk",
        "share",
        LOWER,
        "alone with all that is compared, among all real rows: of the table, not of "
        "the release",
    ),
    "uniques_at_large": Measure(
        "Unique released rows who are unique people, P(PU | SU)",
        "risk",
        "share",
        LOWER,
        "of the rows alone in the release, those that are one real row, alone too",
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
    for of, word in (
        ("an individual", _SINGULAR[counted]),
        (INDIVIDUALS, counted),
    ):
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
    than = "chances to find a person are as high, or higher"
    if name == "smallest_class":
        than = "a class has as many persons, or fewer"
    return f"of rows, of which a person can have several: {than}"
