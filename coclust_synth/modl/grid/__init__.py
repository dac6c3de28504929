"""Grids of two sides.

grid, state         the counts and their partition, and the one that a search changes
dendrogram          merges down to one cell
individuals         of several rows, and new ones
cell_measures       what a cell says of its two sides
"""
