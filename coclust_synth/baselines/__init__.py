"""Methods to compare with, each with the face of the generators.

lattice     full-domain generalisation: Flash, Incognito, Samarati, Datafly, the optimum
cuts        sub-trees of hierarchies: top-down specialisation, bottom-up generalisation
mdav        microaggregation by maximum distance to average vector, and improvements
mondrian    greedy cuts of the space of the quasi-identifiers
suppression single cells are left out, with the rule of sdcMicro beside it
perturbation values are changed in their rows: PRAM, rank swapping, noise, means
private     differentially private tables: AIM, MST, PrivBayes, independent margins; and
            histograms: of all cells Laplace, Privelet+, DPCube, of values kept fine
            for a class DiffGen, of groups of columns DP-MHMD, of single columns
            NoiseFirst, StructureFirst, P-HPartition
micro       microaggregation inside co-clusters; anatomy: two tables of buckets
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
