"""DPCocGen: rows drawn from counts with noise.

dpcocgen    the generator, and which of the two ways a domain asks for
dense       all cells of a small domain
adaptive    chosen margins of any domain
thesis      the method as first published, and its parts chosen by noisy merges
plan        what would be measured, from the domain alone
workload    whose joint distribution is wanted
"""
