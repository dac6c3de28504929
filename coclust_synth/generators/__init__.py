"""Generators of tables: plain, k-anonymous and differentially private.

plain       synthetic tables drawn from clusters of at least k individuals; in
            structured, what hangs together inside of them
kanon       k-anonymous tables: what all share; hybrid, COC, COC_HG from co-clusters;
            new rows under the labels of an earlier one; in classes, how k are gathered
dp          DPCocGen, differentially private synthesis
log_linear  models of noisy margins on junction trees
derived     generalisation hierarchies derived from a co-clustering
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
