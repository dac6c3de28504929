"""How far a release is from the real table.

margins       of synthetic tables, any set of columns
hellinger     of generalised tables, columns together
coded_tables  checks of what is compared
"""
