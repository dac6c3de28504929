"""How many individuals the clusters hold, along the hierarchy of a co-clustering.

A row for each level of the hierarchy, from the best grid to one cluster of individuals:
how many clusters of individuals and of parts there are, and the smallest and largest
number of individuals in one. ``k_at_least`` of the first level is what the thesis calls
the k of its finest grid.

Config: ``seeds``; ``[split]``, see `experiments.datasets`, or empty for all rows;
``[fit]``, of `MODLCoclustering`.
"""

import pandas as pd

from coclust_synth import MODLCoclustering
from coclust_synth.exceptions import ParameterError
from experiments.datasets import Source
from experiments.drawing import Panel, figure_of_panels
from experiments.tasks import Fit, Task

COLUMNS = (
    "dataset",
    "seed",
    "n_rows",
    "row_clusters",
    "column_clusters",
    "smallest_cluster",
    "largest_cluster",
    "cost",
    "information",
    "fit_seconds",
    "fit_cpu_seconds",
)

KEYS = {"seeds", "split", "fit"}


def smoke(config):
    """What is different at a tiny size: one seed, a short search."""
    return {"seeds": config["seeds"][:1], "fit": config["fit"] | {"n_iterations": 3}}


def tasks(config, directory, fits):
    """A task for each seed; see `experiments.run`."""
    try:
        MODLCoclustering(**config["fit"])
    except TypeError as error:
        raise ParameterError(
            "Expected arguments of MODLCoclustering in [fit]. Received something else: "
            f"{error}. Correct the config."
        ) from None
    source = Source(config["dataset"], str(directory), config["split"] or None)
    source.tables()
    found = []
    for seed in config["seeds"]:
        given = {"dataset": config["dataset"]["name"], "seed": seed}
        fit = Fit(source, (), config["fit"], seed)
        found.append(Task(given, _rows, (fit, fits), (fit,)))
    return found


def _rows(fit, fits):
    """The levels at which clusters of individuals change."""
    model, took = fit.load(fits)
    dendrogram = model.dendrogram_.best().dendrogram
    n_clusters = None
    for step in range(len(dendrogram.costs)):
        level = dendrogram.level(step)
        sizes = level.row_sizes
        if len(sizes) == n_clusters:
            continue
        n_clusters = len(sizes)
        yield took | {
            "n_rows": int(sizes.sum()),
            "row_clusters": n_clusters,
            "column_clusters": len(level.column_sizes),
            "smallest_cluster": int(sizes.min()),
            "largest_cluster": int(sizes.max()),
            "cost": round(float(dendrogram.costs[step]), 3),
            "information": round(float(dendrogram.information[step]), 6),
        }


def figure(rows, _config):
    """Smallest and largest cluster by the number of clusters, of the first seed."""
    rows = rows[(rows["status"] == "ok") & (rows["seed"] == rows["seed"].min())]
    lines = [
        pd.DataFrame(
            {
                "method": f"{which} cluster",
                "x": rows["row_clusters"],
                "y": rows[f"{which}_cluster"],
            }
        )
        for which in ("smallest", "largest")
    ]
    points = pd.concat(lines)
    name = "clusters of individuals"
    return figure_of_panels(
        [Panel(points, name, "individuals of a cluster", {}, log_y=True)]
    )
