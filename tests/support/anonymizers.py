"""The anonymizers of a co-clustering, by their names on the command line."""

from coclust_synth import COCAnonymizer, COCHGAnonymizer, HybridKAnonymizer

COCLUSTERED = {
    "hybrid": HybridKAnonymizer,
    "coc": COCAnonymizer,
    "coc_hg": COCHGAnonymizer,
}
