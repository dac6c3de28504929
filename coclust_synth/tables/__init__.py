"""Tables about people: read, described, coded into parts, and written.

reading        files into frames, cell by cell, and what kind each column is
files          outputs that appear whole or not at all
domain         what a column can hold, declared and not taken from the data
people         whose rows they are, and which columns are known, sensitive, neither
hierarchies    generalisation hierarchies of values; hierarchy_formats: files of others
recoding       what is blurred by hand in a table before it is released
parts          columns cut into intervals and groups, rare values, laws inside of parts
generalized    tables whose cells are sets of values, with the file that says which
"""

from coclust_synth.tables.domain.column import DomainColumn
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy, TreeNode
from coclust_synth.tables.hierarchy_formats import read_hierarchies
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.people.bounded import bound_rows
from coclust_synth.tables.reading.bundled import bundled_table
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.reading.table import read_table, read_texts
from coclust_synth.tables.recoding.column import ColumnRecoding
from coclust_synth.tables.recoding.recoding import Recoding
from coclust_synth.tables.schema import Column, Schema
from coclust_synth.tables.writing import write_table

__all__ = [
    "Column",
    "ColumnRecoding",
    "Domain",
    "DomainColumn",
    "GeneralizationHierarchy",
    "GeneralizedColumn",
    "GeneralizedTable",
    "Recoding",
    "Schema",
    "TableCoding",
    "TreeNode",
    "bound_rows",
    "bundled_table",
    "infer_schema",
    "read_hierarchies",
    "read_table",
    "read_texts",
    "write_table",
]
