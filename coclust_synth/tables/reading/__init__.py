"""Files and frames into tables.

table                     the module that opens data files; native: frames of others
infer                     what kind each column is
texts                     from texts to typed columns, as they are written
parquet_folder, bundled   folders of files, and the table of the package
"""
