"""Between the columns of a frame and plain arrays.

columns, dtypes  there and back; numbers: changed, and put back
keys             columns that differ in every row, made anew
"""
