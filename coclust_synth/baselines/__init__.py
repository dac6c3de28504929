"""Methods to compare with, each with the face of the generators.

lattice     full-domain generalisation: Flash, Incognito, Samarati, Datafly, the optimum
mdav        microaggregation by maximum distance to average vector, and improvements
mondrian    greedy cuts of the space of the quasi-identifiers
suppression single cells are left out, with the rule of sdcMicro beside it
perturbation values are changed in their rows: PRAM, rank swapping, noise, means
private     differentially private tables: AIM, MST, PrivBayes, and histograms: Laplace,
            Privelet+, DPCube of all cells, NoiseFirst, StructureFirst of single columns
micro       microaggregation inside co-clusters; anatomy: two tables of buckets
"""

from coclust_synth.baselines.anatomy import AnatomyReleaser
from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.baselines.mdav.anonymizer import MDAVAnonymizer
from coclust_synth.baselines.mdav.groups import mdav_groups
from coclust_synth.baselines.micro import MicroAnonymizer
from coclust_synth.baselines.mondrian.anonymizer import MondrianAnonymizer
from coclust_synth.baselines.perturbation.numbers import (
    Microaggregation,
    NoiseAddition,
    RankSwapping,
)
from coclust_synth.baselines.perturbation.pram import PostRandomization
from coclust_synth.baselines.perturbation.slicing import Slicing
from coclust_synth.baselines.private.aim import AIMSynthesizer
from coclust_synth.baselines.private.dpcube import DPCube
from coclust_synth.baselines.private.independent import IndependentMargins
from coclust_synth.baselines.private.laplace import LaplaceHistogram
from coclust_synth.baselines.private.mst import MSTSynthesizer
from coclust_synth.baselines.private.noise_first import NoiseFirst
from coclust_synth.baselines.private.privbayes import PrivBayes
from coclust_synth.baselines.private.privelet import Privelet
from coclust_synth.baselines.private.structure_first import StructureFirst
from coclust_synth.baselines.suppression.anonymizer import LocalSuppression

__all__ = [
    "AIMSynthesizer",
    "AnatomyReleaser",
    "DPCube",
    "IndependentMargins",
    "LaplaceHistogram",
    "LatticeAnonymizer",
    "LocalSuppression",
    "MDAVAnonymizer",
    "MSTSynthesizer",
    "MicroAnonymizer",
    "Microaggregation",
    "MondrianAnonymizer",
    "NoiseAddition",
    "NoiseFirst",
    "PostRandomization",
    "PrivBayes",
    "Privelet",
    "RankSwapping",
    "Slicing",
    "StructureFirst",
    "mdav_groups",
]
