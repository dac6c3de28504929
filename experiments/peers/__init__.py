"""Synthesis by other methods, over codes of parts: rows in, rows out."""
