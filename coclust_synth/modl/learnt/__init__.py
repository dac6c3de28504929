"""Grids of instances and parts of variables, both of which are searched.

coding       the parts of a table, and the values that they are made of
grid, state  a grid, and the one that a search changes
search       for the parts and clusters of least cost
"""
