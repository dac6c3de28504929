"""Tables about people: read, described, coded into parts, and written.

reading        files into frames, cell by cell, and what kind each column is
files          outputs that appear whole or not at all
domain         what a column can hold, declared and not taken from the data
people         whose rows they are, and which columns are known, sensitive, neither
hierarchies    generalisation hierarchies of values; hierarchy_formats: files of others
parts          columns cut into intervals and groups, rare values, laws inside of parts
generalized    tables whose cells are sets of values, with the file that says which
"""
