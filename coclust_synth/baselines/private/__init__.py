"""Private tables by the methods of others.

independent    columns drawn on their own
privbayes      a Bayesian network
mst            a tree of pairs of columns
aim            margins chosen in rounds where a model is wrong
noisy_margins  what mst and aim share
histograms     noisy counts of all cells, of several papers
"""
