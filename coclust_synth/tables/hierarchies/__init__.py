"""Generalisation hierarchies of values.

hierarchy  the values of a column, and ever larger groups of them; forms: lines, trees
built_in   calendars, prefixes of codes, rounding ladders
columns    between a column and the leaves
names      of groups
"""
