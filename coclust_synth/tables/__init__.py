"""Tables about people: read, described, coded into parts, and written.

reading        files into frames, cell by cell, and what kind each column is
files          outputs that appear whole or not at all, inputs up to a size
schema         what is known of a table's columns (schema_heads: said in its files),
               each a `column`; table: its columns as arrays
values         between the columns of a frame and plain arrays, and keys made anew
clock          times of a day, durations and dates as texts, by layouts; date_texts:
               which century is meant, and dates in the layouts of two countries
draws          values that a column can take, and even draws in groups of rows
domain         what a column can hold, declared and not taken from the data
people         whose rows they are, and which columns are known, sensitive, neither
hierarchies    generalisation hierarchies of values; hierarchy_formats: files of others
recoding       what is blurred by hand in a table before it is released
laws           how numbers and dates spread inside of an interval
relations      rules that rows respect, in names of columns, as a schema lists them
rules          how they are found in a table, and whether its rows respect them
conditions     what is asked of rows that are drawn, as people write it
parts          columns cut into intervals and groups, and their rare values
generalized    tables whose cells are sets of values, with the file that says which
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
