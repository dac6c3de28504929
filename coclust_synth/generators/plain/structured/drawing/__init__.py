"""Rows drawn column by column, within what the rules allow.

rows     the rows, of which some columns are drawn: start here
column   how one more is drawn: codes, then values
codes    a code of its leaf for each row: what it may not have goes to another
limits   which codes rows may have; ends: from where to where numbers may be
"""
