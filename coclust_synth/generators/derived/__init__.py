"""Generalisation hierarchies that a co-clustering derives.

hierarchies  of a table or a model, and how its parts come together
chosen       the derived one or a built-in one, by what their levels tell, and which of
             its levels are kept
"""
