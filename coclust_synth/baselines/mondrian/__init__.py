"""Mondrian: k-anonymous tables by cutting the table in regions, top down.

anonymizer  regions in, tables of intervals and sets out
regions     the axes that columns are cut along, and the cutting
"""
