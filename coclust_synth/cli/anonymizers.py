"""The methods of `anonymize`: the estimator behind each, and what it takes."""

from dataclasses import dataclass, field
from inspect import signature

from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.baselines.mdav.anonymizer import MDAVAnonymizer
from coclust_synth.baselines.micro import MicroAnonymizer
from coclust_synth.baselines.mondrian.anonymizer import MondrianAnonymizer
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.derived.hierarchies import derive_hierarchies
from coclust_synth.generators.kanon.coc import COCAnonymizer, COCHGAnonymizer
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.privacy.models.sensitive import sensitive_models

_OF_DERIVATION = ("bins", "n_iterations", "n_jobs", "random_state", "callback")


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


METHODS = {
    "hybrid": Method(HybridKAnonymizer),
    "coc": Method(COCAnonymizer),
    "coc_hg": Method(COCHGAnonymizer),
    "flash": _lattice("flash"),
    "incognito": _lattice("incognito"),
    "samarati": _lattice("samarati"),
    "datafly": _lattice("datafly"),
    "mondrian": Method(MondrianAnonymizer),
    "mdav": Method(MDAVAnonymizer),
    # A model that was saved knows no rows.
    "micro": Method(MicroAnonymizer, {"model": None}),
}


def check_options(method, given):
    """Refuse options that a method does not take.

    Parameters
    ----------
    method : str
        Of `METHODS`.
    given : dict of str to str
        Arguments of estimators that the user chose, and the options that do so.

    Raises
    ------
    ParameterError
    """
    for name, option in given.items():
        if name not in METHODS[method].takes:
            others = [other for other, own in METHODS.items() if name in own.takes]
            raise ParameterError(
                f"Expected options of the method {method!r}. Received {option}, which "
                f"is of {', '.join(map(repr, others))}. Leave it out, or choose "
                "another method."
            )
