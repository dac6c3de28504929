"""Columns in parts: categories, intervals, atoms.

coding        rows into codes of parts, and back; fine: finer codings
parts, cuts   of one column, and where numbers are cut
atoms         values and runs that 20 hold; spreads: how the rows of a run spread
of_persons    parts of 20 persons each, of whom some have many rows
number_codes  whole numbers that may be codes of categories
no_dates      dates that stand for none
rare          what few hold, and tables that describe no few
folded        texts that are learnt from by labels
"""
