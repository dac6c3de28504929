"""Generators of tables: plain, k-anonymous and differentially private.

plain       synthetic tables drawn from clusters of at least k individuals
kanon       k-anonymous tables: what all share; hybrid, COC, COC_HG from co-clusters;
            new rows under the labels of an earlier one
dp          DPCocGen, differentially private synthesis
log_linear  models of noisy margins on junction trees
derived     generalisation hierarchies derived from a co-clustering
"""

from coclust_synth.generators.derived.hierarchies import derive_hierarchies
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.generators.kanon.coc import COCAnonymizer, COCHGAnonymizer
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.generators.plain.synthesizer import CoclusterSynthesizer
from coclust_synth.generators.release_plan import ReleasePlan

__all__ = [
    "COCAnonymizer",
    "COCHGAnonymizer",
    "CoclusterSynthesizer",
    "DPCocGen",
    "HybridKAnonymizer",
    "ReleasePlan",
    "derive_hierarchies",
]
