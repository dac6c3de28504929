"""Files and frames into tables.

table       what can be read as a table; native: frames of others
text_files  how a file is read, cell by cell; parquet: of Parquet, and folders of them
header      what are names of columns, and no row
infer       what kind each column is; one_column: one of them; notices: what is odd;
            settling: what is decided of columns in doubt
texts       from texts to typed columns, as they are written
bundled     the table of the package
"""
