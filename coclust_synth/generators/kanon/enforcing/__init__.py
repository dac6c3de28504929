"""Classes for which privacy models hold.

merging   classes that fail are merged until all hold, or suppressed
dealing   classes that are alike in their sensitive values from the start
presence  models of a population: delta-presence, k-map
"""
