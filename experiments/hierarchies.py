"""The hierarchies of values that a co-clustering implies, beside hand-made ones.

A row for each value of each column and each way: the nodes that gather it, from its
parent to the root. ``agreement`` compares a column's two trees: of all triples of
values of which the hand-made tree joins two first, the share of which the derived one
joins the same two first; a third is what chance gives.

Config: ``seeds``; ``columns``; ``[hierarchies]``, see `experiments.hand_made`;
``[fit]``, of `MODLCoclustering`.
"""

from itertools import combinations

from matplotlib.figure import Figure

from coclust_synth import GeneralizationHierarchy
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.derived.hierarchies import model_hierarchies
from coclust_synth.plotting.hierarchies import plot_hierarchy
from coclust_synth.tables.schema import unknown_column
from experiments.datasets import Source
from experiments.hand_made import hand_made_hierarchies
from experiments.tasks import Fit, Task

COLUMNS = ("dataset", "seed", "column", "way", "value", "nodes", "levels", "agreement")

KEYS = {"seeds", "columns", "hierarchies", "fit"}

_BETWEEN = " > "


def smoke(config):
    """What is different at a tiny size: one seed, a short search."""
    return {"seeds": config["seeds"][:1], "fit": config["fit"] | {"n_iterations": 3}}


def tasks(config, directory, fits):
    """A task for each seed; see `experiments.run`."""
    source = Source(config["dataset"], str(directory))
    table, _ = source.tables()
    for name in config["columns"]:
        if name not in table.columns:
            raise ParameterError(unknown_column(name, tuple(table.columns)))
    hand_made_hierarchies(config["hierarchies"], table[config["columns"]], directory)
    found = []
    for seed in config["seeds"]:
        given = {"dataset": config["dataset"]["name"], "seed": seed}
        fit = Fit(source, (), config["fit"], seed)
        arguments = (
            config["columns"],
            config["hierarchies"],
            str(directory),
            fit,
            fits,
        )
        found.append(Task(given, _rows, arguments, (fit,)))
    return found


def _rows(columns, settings, directory, fit, fits):
    table, _ = fit.source.tables()
    model, _ = fit.load(fits)
    derived = model_hierarchies(table, model.coding_, model.dendrogram_)
    hand_made = hand_made_hierarchies(settings, table[columns], directory)
    for column in columns:
        ways = {"derived": derived[column]}
        if column in hand_made:
            ways["hand-made"] = hand_made[column]
        lines = {way: _lines(hierarchy) for way, hierarchy in ways.items()}
        agreement = _agreement(lines) if "hand-made" in lines else ""
        for way, of_values in lines.items():
            for value, nodes in of_values.items():
                yield {
                    "column": column,
                    "way": way,
                    "value": value,
                    "nodes": _BETWEEN.join(nodes),
                    "levels": len(nodes),
                    "agreement": agreement,
                }


def _lines(hierarchy):
    """Of each value the nodes above it; what is missing is called so."""
    lines = [[name or "missing" for name in line] for line in hierarchy.lines()]
    return {value: nodes for value, *nodes in lines}


def _agreement(lines):
    """Share of triples that both join in the same order; see the module's head."""
    there = sorted(set(lines["derived"]) & set(lines["hand-made"]))
    same = n = 0
    for triple in combinations(there, 3):
        of_hand_made = _first_pair(lines["hand-made"], triple)
        if of_hand_made is not None:
            n += 1
            same += _first_pair(lines["derived"], triple) == of_hand_made
    return round(same / n, 4) if n else ""


def _first_pair(lines, triple):
    """The two values that meet below the third, or None if no two do."""
    meet = {
        pair: next(
            level
            for level, nodes in enumerate(
                zip(lines[pair[0]], lines[pair[1]], strict=True)
            )
            if nodes[0] == nodes[1]
        )
        for pair in combinations(triple, 2)
    }
    first = min(meet.values())
    pairs = [pair for pair, level in meet.items() if level == first]
    return pairs[0] if len(pairs) == 1 else None


def figure(rows, config):
    """The trees of the first column, of the first seed."""
    rows = rows[rows["status"] == "ok"]
    rows = rows[rows["seed"] == rows["seed"].min()]
    some = rows[rows["column"] == config["columns"][0]]
    ways = list(some.groupby("way", sort=False))
    figure = Figure(figsize=(6.4 * max(len(ways), 1), 4.2), layout="constrained")
    for place, (way, of_way) in zip(
        figure.subplots(1, max(len(ways), 1), squeeze=False)[0], ways, strict=False
    ):
        lines = [
            (value, *nodes.split(_BETWEEN))
            for value, nodes in zip(of_way["value"], of_way["nodes"], strict=True)
        ]
        tree = GeneralizationHierarchy.from_lines(config["columns"][0], lines)
        plot_hierarchy(tree, ax=place).set_title(f"{config['columns'][0]}, {way}")
    return figure
