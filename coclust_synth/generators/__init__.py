"""Generators of tables: plain, k-anonymous and differentially private.

plain     synthetic tables drawn from clusters of at least k individuals
kanon     k-anonymous tables from co-clusters: hybrid, and the thesis's COC and COC_HG
dp        DPCocGen, two-phase differentially private synthesis
derived   generalisation hierarchies derived from a co-clustering
"""
