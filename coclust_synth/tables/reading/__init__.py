"""Files and frames into tables.

table                         the module that opens data files; native: frames of others
text, cells                   from texts to typed columns, all or cell by cell
parquet_folder, bundled       folders of files, and the table of the package
infer                         what kind a column is; identifiers: which name persons
told_codes                    whole numbers that are codes, as a text tells them
layouts                       how numbers and dates are written, found or declared
patterns                      numbers in texts: 120/80, 2.5 x 3.0 m
missing_codes                 999 and NA: missing or not
odd_cells                     texts among numbers and dates
"""
