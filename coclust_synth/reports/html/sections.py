"""Sections of the page of a release, of what is known of it beside the evaluation.

What a private release spent, and what that promises; what a model holds beside its
grid; curves of what another k or epsilon would have given.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from coclust_synth.evaluation.trade_offs import TradeOff
from coclust_synth.generators.derived.hierarchies import hierarchies_of_parts
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.plotting.hierarchies import shown_branches
from coclust_synth.plotting.scores import plot_trade_off
from coclust_synth.reports.html.headline import written
from coclust_synth.reports.html.rendering import Section, page_figure, rendered
from coclust_synth.reports.private_statement import earlier_lines, promise
from coclust_synth.tables.parts.folded.folding import untold_by
from coclust_synth.tables.rules.values.in_words import told_once

_MAX_NODES = 40  # of the lowest level of a hierarchy that is written out


def budget_section(manifest: dict[str, Any]) -> Section:
    """What was asked of the rows, with which noise, from the manifest alone.

    Parameters
    ----------
    manifest : dict
        Of `private_manifest`.
    """
    budget = manifest["budget"]
    unit = "rho" if "rho" in budget else "epsilon"
    entries = [
        {
            "what": entry["what"],
            "mechanism": entry["mechanism"],
            "n_values": f"{entry['n_values']:,}",
            "cost": f"{entry[unit]:.4g}",
            "share": f"{entry[unit] / budget[unit]:.1%}",
            "width": f"{100 * entry[unit] / budget[unit]:.1f}",
        }
        for entry in budget["entries"]
    ]
    content = rendered(
        "budget.html.j2",
        unit=unit,
        budget=budget,
        entries=entries,
        manifest=manifest,
        promise=promise(manifest),
        earlier=[line.strip(" -") for line in earlier_lines(manifest)],
    )
    return Section("budget", "What was spent, and what that promises", content)


def model_section(model: PlainModel) -> Section:
    """The rules that a model keeps, and how the parts of its columns come together.

    Parameters
    ----------
    model : PlainModel
    """
    structure = getattr(model.structure, "first", model.structure)
    untold = untold_by(model.spelt)
    rules = [] if structure is None else structure.rules.but_of(untold).all
    # Of a grid of one cluster there is nothing that comes together step by step.
    is_merged = min(model.dendrogram.cells.shape) > 1
    content = rendered(
        "model.html.j2",
        unit="persons" if model.by_person else "individuals",
        n_individuals=f"{model.n_individuals:,}",
        n_rows=f"{model.n_rows:,}",
        k=f"{model.min_individuals:,}",
        has_trees=structure is not None,
        rules=told_once([rule.to_dict() for rule in rules]),
        trees=[
            (name, h.n_leaves, h.height, shown_branches(h, _MAX_NODES))
            for name, h in hierarchies_of_parts(model).items()
            if is_merged and h.n_leaves > 1
        ],
    )
    return Section("model", "The model", content)


def trade_off_section(curves: Sequence[TradeOff], how: str) -> Section:
    """Curves and their figures.

    Parameters
    ----------
    curves : sequence of TradeOff
        At least one.
    how : str
        How they were made, in a sentence or two.
    """
    shown = [
        (
            curve,
            page_figure(
                curve.title,
                partial(plot_trade_off, curve),
                (5.2, 3.2),
                f"The vertical line is the {curve.parameter} of the release. "
                f"{curve.reads}",
            ),
        )
        for curve in curves
    ]
    content = rendered("trade_offs.html.j2", shown=shown, how=how, rows=_rows)
    name = "Another epsilon" if curves[0].parameter == "epsilon" else "Another k"
    return Section("trade", name, content)


def _rows(curve: TradeOff):
    """Value of the parameter, whether it is the chosen one, and figures."""
    for i, value in enumerate(curve.values):
        figures = [written(own[i].value) for own in curve.lines.values()]
        yield f"{value:,g}", value == curve.chosen, figures
