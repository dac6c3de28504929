"""Between the columns of a frame and plain arrays.

columns, dtypes  from a frame to arrays, zones of times too; series: back; numbers:
                 changed, and put back
date_layouts     how texts of dates may be laid out
keys             columns that differ in every row, made anew
key_patterns     in which pattern, and key_repeats: what of their row is in them
"""
