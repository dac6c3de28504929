"""Rows of persons, drawn one after the other.

persons_drawn   all rows of persons; rows_after: one after another
in_the_end      what is told once all are drawn
"""
