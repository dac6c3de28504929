"""The methods of `anonymize`: the estimator behind each, and its options."""

from dataclasses import dataclass, field
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import Annotated, Literal

import typer

from coclust_synth.baselines.cuts.anonymizer import CutAnonymizer
from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.baselines.lattice.quality import QUALITY
from coclust_synth.baselines.mdav.anonymizer import MDAVAnonymizer
from coclust_synth.baselines.micro import MicroAnonymizer
from coclust_synth.baselines.mondrian.anonymizer import MondrianAnonymizer
from coclust_synth.baselines.suppression.anonymizer import LocalSuppression
from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.command import panel_of_methods
from coclust_synth.generators.derived.hierarchies import derive_hierarchies
from coclust_synth.generators.kanon.coc import COCAnonymizer, COCHGAnonymizer
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.privacy.models.sensitive import sensitive_models

_OF_DERIVATION = (
    *("bins", "built_in", "n_iterations", "n_jobs", "random_state", "callback"),
)


@dataclass(frozen=True)
class Method:
    """An estimator, and the arguments by which it is the method.

    Attributes
    ----------
    estimator : type
    fixed : dict
    needs_hierarchies : bool
        Whether each quasi-identifier must have one: what is not given is derived.
    """

    estimator: type
    fixed: dict = field(default_factory=dict)
    needs_hierarchies: bool = False

    @property
    def takes(self):
        """Names of the arguments that are left to choose."""
        names = {*signature(self.estimator).parameters} - {*self.fixed}
        return names | {*_OF_DERIVATION} if self.needs_hierarchies else names

    def make(self, arguments, people):
        """The estimator.

        Parameters
        ----------
        arguments : dict
            By name; those that it does not take are passed over.
        people : People
            The table that it is for.
        """
        own = {name: arguments[name] for name in self.takes & arguments.keys()}
        if self.needs_hierarchies:
            derivation = {n: own.pop(n) for n in _OF_DERIVATION if n in own}
            names, frame = people.roles.quasi_identifiers, people.frame
            lacking = [name for name in names if name not in own["hierarchies"]]
            if lacking:
                # A model that no release can satisfy is refused before the search.
                sensitive_models(
                    frame, people.roles.sensitive, own["models"], people.persons
                )
                # All are co-clustered: what goes together with what is seen in rows.
                derived = derive_hierarchies(people.table, columns=names, **derivation)
                own["hierarchies"] |= {name: derived[name] for name in lacking}
        return self.estimator(**own, **self.fixed)


def _lattice(search):
    return Method(LatticeAnonymizer, {"search": search}, needs_hierarchies=True)


def _cuts(search):
    return Method(CutAnonymizer, {"search": search}, needs_hierarchies=True)


METHODS = {
    "hybrid": Method(HybridKAnonymizer),
    "coc": Method(COCAnonymizer),
    "coc_hg": Method(COCHGAnonymizer),
    "flash": _lattice("flash"),
    "incognito": _lattice("incognito"),
    "samarati": _lattice("samarati"),
    "datafly": _lattice("datafly"),
    "tds": _cuts("top_down"),
    "bug": _cuts("bottom_up"),
    "mondrian": Method(MondrianAnonymizer),
    "mdav": Method(MDAVAnonymizer),
    "suppress": Method(LocalSuppression),
    # A model that was saved knows no rows.
    "micro": Method(MicroAnonymizer, {"model": None}),
}
TAKES = {name: method.takes for name, method in METHODS.items()}
_Metric = StrEnum("Metric", {name: name for name in QUALITY})


@dataclass(frozen=True, kw_only=True)
class MethodOptions(options.TimedSearch):
    """Options that not all methods take, under the names of their arguments."""

    truthful: Annotated[
        bool,
        typer.Option(
            "--truthful",
            help="Every label covers all values of its class: a generalisation. "
            "Otherwise labels may leave out rare values of their class.",
        ),
    ] = False
    intervals: Annotated[
        bool,
        typer.Option(
            "--intervals",
            help="Labels of numbers, dates and ordinal values are intervals, not sets.",
        ),
    ] = False
    objective: Annotated[
        Literal["both", "distance", "loss"],
        typer.Option(
            help="What classes aim at. distance: near joint distributions. loss: "
            "labels of few values. Or both."
        ),
    ] = "both"
    l_diversity: privacy_options.LDiversity = None
    t_closeness: privacy_options.TCloseness = None
    alpha: privacy_options.Alpha = None
    delta_presence: privacy_options.DeltaPresence = None
    k_map: privacy_options.PeopleOfClass = None
    sampling_fraction: privacy_options.SamplingFraction = None
    population: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The population of which TABLE is a part, with the same columns.",
        ),
    ] = None
    max_suppressed: Annotated[
        float,
        typer.Option(
            "--suppression",
            metavar="SHARE",
            help="Rows that may be suppressed, as a share. flash and the like also "
            "suppress rows to reach k, and the suppressed rows can then be fewer than "
            "k. Other methods suppress instead of merging when a model fails.",
        ),
    ] = 0.0
    metric: Annotated[
        _Metric, typer.Option(help="What flash and the like minimise.")
    ] = _Metric.loss
    relaxed: Annotated[
        bool,
        typer.Option(
            "--relaxed", help="Let Mondrian put equal values on both sides of a cut."
        ),
    ] = False
    split: Annotated[
        Literal["median", "infogain", "lsd"],
        typer.Option(
            help="Where Mondrian cuts: at medians, or to predict --target, a class "
            "(infogain) or a number (lsd)."
        ),
    ] = "median"
    target: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Column that --split, tds and bug try to predict."
        ),
    ] = None
    release: Annotated[
        bool,
        typer.Option(
            "--centroids",
            help="Release means, medians and modes of each MDAV class instead of its "
            "sets of values.",
        ),
    ] = False
    scale: Annotated[
        Literal["deviation", "range", "none"],
        typer.Option(help="What MDAV divides numbers by."),
    ] = "deviation"
    improve: Annotated[
        bool,
        typer.Option(
            "--improve",
            help="Run a local search after MDAV, with 30 iterations unless "
            "--iterations says otherwise; slower.",
        ),
    ] = False
    importance: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=R,...",
            help="Cost of suppressed cells, as in sdcMicro: 1/R, with R = 1 for the "
            "most important columns; or NAME,..., from the most important on. By "
            "default all cost the same.",
        ),
    ] = None
    key_sets: Annotated[
        list[str] | None,
        typer.Option(
            "--key-sets",
            metavar="NAME,...",
            help="Quasi-identifiers that must be k-anonymous together, or their "
            "number: 3 means any three of them (repeatable). By default all.",
        ),
    ] = None
    suppressed_as: Annotated[
        Literal["value", "any"],
        typer.Option(
            help="How a suppressed cell counts: as a value of its own, or as agreeing "
            "with any value (any), as in sdcMicro. The latter is not k-anonymity."
        ),
    ] = "value"
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of hierarchies (our .toml or .json, ARX .csv), whose nodes "
            "become the labels of these columns. Missing ones are derived for flash "
            "and the like, tds and bug.",
        ),
    ] = None
    built_in: Annotated[
        Literal["never", "auto", "always"],
        typer.Option(
            help="When to use calendars of dates, prefixes of codes and rounding "
            "ladders of numbers instead of derived hierarchies: never, auto (if they "
            "tell as much of the other columns), or always if there is one."
        ),
    ] = "never"
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL", help="Model that `fit` saved, instead of a search."
        ),
    ] = None
    bins: options.Bins = 10

    @classmethod
    def panel_of(cls, argument):
        """The methods that take an argument."""
        return panel_of_methods(argument, TAKES)
