"""Files and frames into tables.

table                         the module that opens data files; native: frames of others
text, cells                   from texts to typed columns, all or cell by cell
parquet_folder, bundled       folders of files, and the table of the package
infer                         what kind a column is; identifiers: which name persons
number_layouts                how numbers are written; declared_layouts: as was declared
missing_codes, country_codes  999 and NA: missing or not
"""
