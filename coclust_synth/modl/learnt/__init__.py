"""Grids of instances and parts of variables, both of which are searched.

values       of which parts are made; coding: the parts of a table
grid, state  a grid, and the one that a search changes
search       for the parts and clusters of least cost
"""
