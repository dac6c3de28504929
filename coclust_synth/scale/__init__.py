"""Tables that do not fit into memory, known by counts that an engine makes of them.

source         what is asked of a table: counts of values, of coded rows, a sample
frame_source   a table in memory
ibis_source    a table of an engine, by ibis: DuckDB, Spark, or another
cuts           numbers whose codes are told by thresholds
row_keys       codes of the rows of a batch; a coded row as a whole number, or a few
engines        which engine reads which address; tables of databases: addresses,
               passwords, types of their own
released       what a release may tell of a table that is known by counts
partial_folder a folder that is filled file by file, over several runs, by Spark too

What co-clusterings, parts and classes are learnt from are counts: the engine groups and
joins, the driver learns. An engine's own approximations, of quantiles or of distinct
values, are used nowhere.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
