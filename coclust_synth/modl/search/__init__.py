"""The search for the grid of least cost.

loop, clock      what every search runs: budget, rounds, trace, Ctrl-C
two_sides        which moves, and the grids that they start from; some rows first
neighbourhoods   the moves; pool: clusters that are divided anew
grid_dendrogram  every level of what was found
"""
