"""What a model holds beside its grid, as a section of the page of a release."""

from coclust_synth.generators.derived.parts import hierarchies_of_parts
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.plotting.hierarchies import shown_branches
from coclust_synth.reports.html.rendering import Section, rendered

_MAX_NODES = 40  # of the lowest level of a hierarchy that is written out


def model_section(model: PlainModel) -> Section:
    """The rules that a model keeps, and how the parts of its columns come together.

    Parameters
    ----------
    model : PlainModel
    """
    structure = getattr(model.structure, "first", model.structure)
    content = rendered(
        "model.html.j2",
        unit="persons" if model.by_person else "individuals",
        n_individuals=f"{model.n_individuals:,}",
        n_rows=f"{model.n_rows:,}",
        k=f"{model.min_individuals:,}",
        has_trees=structure is not None,
        rules=[] if structure is None else structure.rules.all,
        trees=[
            (name, h.n_leaves, h.height, shown_branches(h, _MAX_NODES))
            for name, h in hierarchies_of_parts(model).items()
            if h.n_leaves > 1
        ],
    )
    return Section("model", "The model", content)
