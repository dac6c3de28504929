"""Tables that do not fit into memory, known by counts that an engine makes of them.

source         what is asked of a table: counts of values, of coded rows, a sample
frame_source   a table in memory
ibis_source    a table of an engine, by ibis: DuckDB, Spark, or another
row_keys       a coded row as one whole number, or a few
engines        which engine reads which address

What co-clusterings, parts and classes are learnt from are counts: the engine groups and
joins, the driver learns. An engine's own approximations, of quantiles or of distinct
values, are used nowhere.
"""

from coclust_synth.scale.engines import open_source
from coclust_synth.scale.frame_source import FrameSource
from coclust_synth.scale.source import CountSource, ValueCodes

__all__ = ["CountSource", "FrameSource", "ValueCodes", "open_source"]
