"""The printed values of the thesis beside those of runs, in one table.

usage: python -m experiments.thesis [FOLDER ...]

Prints Markdown: where the thesis prints a value, what of, its value, that of the rows
below the folders (by default ``experiments/results`` and ``experiments/published``,
the first that has it), and the difference. What no row has is ``not run``. Its figures
have no printed values but what the text says of their course, which is checked too.
"""

import argparse
import json
import sys
from pathlib import Path

import pandas as pd

_HERE = Path(__file__).resolve().parent

#: Table 3.5: ACC and AUC of each target, trained on the original rows and at each k.
TABLE_3_5 = {
    "sex": (0.774, 0.832, 0.771, 0.827, 0.770, 0.821, 0.767, 0.820, 0.667, 0.500),
    "age": (0.323, 0.722, 0.308, 0.707, 0.300, 0.690, 0.295, 0.689, 0.276, 0.645),
    "race": (0.871, 0.735, 0.863, 0.718, 0.863, 0.706, 0.863, 0.706, 0.859, 0.476),
    "marital_status": (
        *(0.676, 0.849, 0.672, 0.843, 0.672, 0.839, 0.671, 0.837, 0.593, 0.729),
    ),
    "education": (
        *(0.406, 0.719, 0.397, 0.706, 0.393, 0.696, 0.376, 0.686, 0.335, 0.500),
    ),
    "native_country": (
        *(0.920, 0.736, 0.917, 0.714, 0.917, 0.713, 0.917, 0.713, 0.917, 0.500),
    ),
    "workclass": (0.736, 0.741, 0.736, 0.728, 0.734, 0.716, 0.740, 0.722, 0.751, 0.500),
    "occupation": (
        *(0.318, 0.757, 0.303, 0.746, 0.291, 0.734, 0.288, 0.727, 0.179, 0.500),
    ),
    "class": (0.823, 0.879, 0.820, 0.877, 0.813, 0.874, 0.811, 0.874, 0.762, 0.777),
}
KS = (461, 816, 1042, 8892)
#: How rows are drawn, as the lines of the drop say.
_DRAWN = {
    "thesis": "",
    "thesis uneven": ", small clusters merged alone",
    "trees": ", rows drawn from trees",
}


class Rows:
    """Rows of runs by the name of their config; empty where there are none."""

    def __init__(self, folders):
        self._folders = folders

    def of(self, name):
        """The rows of the last run of a config at full size that are no failures."""
        for top in self._folders:
            found = sorted(
                (path for path in top.rglob("rows.csv") if name in path.parts),
                key=lambda path: path.stat().st_mtime,
            )
            for path in reversed(found):
                config = json.loads(path.with_name("environment.json").read_text())
                if "rows" not in config["config"]["dataset"]:
                    rows = pd.read_csv(path)
                    return rows[rows["status"] == "ok"]
        return pd.DataFrame()


def learning_lines(rows, model):
    """Lines of table 3.5, its means, and the drop of the mean from original rows."""
    lines = []
    if not len(rows):
        return [("table 3.5", f"nine targets ({model})", "", None)]
    ours = rows[rows["measure"].isin([f"ACC, {model}", f"AUC, {model}"])]
    means = ours.groupby(["method", "value", "measure", "of"], dropna=False)["mean"]
    means = means.mean().to_dict()
    means = {
        (method, None if value != value else int(float(value)), measure[:3], of): mean
        for (method, value, measure, of), mean in means.items()
    }
    levels = [(("real rows", None), "original")]
    levels += [(("thesis", k), f"k = {k}") for k in KS]
    drops = {}
    for target, values in TABLE_3_5.items():
        for i, (key, level) in enumerate(levels):
            for j, what in enumerate(("ACC", "AUC")):
                found = means.get((*key, what, target))
                what_of = f"{what} of {target}, {level}"
                lines.append(("table 3.5", what_of, values[2 * i + j], found))
    for i, (key, level) in enumerate(levels):
        printed = sum(v[2 * i + 1] for v in TABLE_3_5.values()) / len(TABLE_3_5)
        drops[level] = printed, means.get((*key, "AUC", "mean"))
        lines.append(("table 3.5", f"mean AUC, {level}", printed, drops[level][1]))
    original = drops["original"]
    ways = [(level, method) for method in _DRAWN for level in levels[1:]]
    for (_, level), method in ways:
        printed = original[0] - drops[level][0]
        k = int(level.rpartition(" ")[2])
        found = means.get((method, k, "AUC", "mean"))
        drop = None if found is None else original[1] - found
        what = f"drop of mean AUC, {level}{_DRAWN[method]}"
        lines.append(("table 3.5", what, printed, drop))
    return [(where, f"{what} ({model})", *rest) for where, what, *rest in lines]


def cluster_lines(train, whole):
    """What is printed of the finest grids and of levels."""
    lines = []
    for where, rows, printed in (
        ("3.5.1.1", train, {"row_clusters": 32, "column_clusters": 55}),
        ("4.5", whole, {"row_clusters": 32, "column_clusters": 50}),
    ):
        best = None
        if len(rows):
            rows = rows[rows["seed"] == rows["seed"].min()].reset_index(drop=True)
            best = rows.iloc[0]
        sizes = {"smallest_cluster": 461, "largest_cluster": 1152}
        sizes = sizes if where == "3.5.1.1" else {"smallest_cluster": 872}
        for name, value in (printed | sizes).items():
            what = f"{name.replace('_', ' ')} of the finest grid"
            lines.append((where, what, value, None if best is None else best[name]))
    of_level = None
    if len(train):
        seed = train[train["seed"] == train["seed"].min()]
        of_level = seed.loc[seed["smallest_cluster"] >= 1000, "row_clusters"].max()
    lines.append(("3.5.1.1", "row clusters at k = 1000", 15, of_level))
    second = None
    if len(whole):
        seed = whole[whole["seed"] == whole["seed"].min()]
        second = sorted(seed["smallest_cluster"].unique())[1]
    lines.append(("4.5", "next k after the finest", 964, second))
    return lines


def other_lines(apart, protection):
    """Whether rows are told apart, and the share that is attributed to nobody."""

    def mean(rows, measure):
        if not len(rows):
            return None
        of = rows[(rows["method"] == "thesis") & (rows["measure"] == measure)]
        of = of[pd.to_numeric(of["value"]) == KS[0]]
        return float(of["mean"].mean()) if len(of) else None

    lines = [
        ("3.5.1.2", f"AUC of real or synthetic, {model}", 0.5, mean(apart, measure))
        for model in ("khiops", "bayes", "boosting")
        for measure in [f"told apart, {model}"]
    ]
    return lines + [
        (
            "figure 3.9",
            f"protection at k = 461, by {way}",
            0.664,
            mean(protection, name),
        )
        for way in ("profiles", "rows", "matching")
        for name in [f"protection, {way}"]
    ]


def printed_table(folders):
    """The table in Markdown.

    Parameters
    ----------
    folders : list of Path

    Returns
    -------
    str
    """
    rows = Rows(folders)
    lines = [
        *cluster_lines(rows.of("figure_3_7"), rows.of("section_4_5")),
        *other_lines(rows.of("section_3_5_1_2"), rows.of("figure_3_9")),
        *learning_lines(rows.of("table_3_5_khiops"), "khiops"),
        *learning_lines(rows.of("table_3_5"), "bayes"),
    ]
    told = ["| where | what | printed | here | difference |", "|---|---|---|---|---|"]
    for where, what, printed, here in lines:
        told.append(f"| {where} | {what} | {_cell(printed)} | {_here(printed, here)} |")
    return "\n".join(told)


def _here(printed, here):
    if here is None or here != here:
        return "not run | "
    return f"{_cell(here)} | {_cell(here - printed, sign='+')}"


def _cell(value, sign=""):
    if value == "":
        return ""
    whole = float(value).is_integer() and abs(value) >= 1
    return f"{value:{sign}.0f}" if whole else f"{value:{sign}.4g}"


def main(arguments=None):
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.thesis",
        description="The printed values of the thesis beside those of runs.",
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    args = parser.parse_args(arguments)
    print(printed_table(args.folders or [_HERE / "results", _HERE / "published"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
