"""Generators of tables: plain, k-anonymous and differentially private.

plain     synthetic tables drawn from clusters of at least k individuals
kanon     k-anonymous tables: what all share; hybrid, COC, COC_HG from co-clusters
dp        DPCocGen, two-phase differentially private synthesis
derived   generalisation hierarchies derived from a co-clustering
"""
