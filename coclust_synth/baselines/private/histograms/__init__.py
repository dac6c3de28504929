"""Noisy counts of all cells of a domain, each by its paper.

laplace                       what they have in common, and the plain one
noise_first, structure_first  neighbours gathered after or before noise
privelet                      noise in wavelets
dpcube, p_hpartition          boxes of cells, counted again
diffgen                       nodes of values, split for a class
dp_mhmd                       tables of declared groups of columns
"""
