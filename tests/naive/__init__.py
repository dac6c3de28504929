"""Slow twins of the package, written from the formulas and never optimised."""
