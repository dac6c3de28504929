"""Tables whose cells are sets of values.

table, column          the table, and what each label stands for
covering               how a set reads, and nodes of hierarchies that cover it
leaf_coding            quasi-identifiers as codes of their values
sidecar                the file that says what labels stand for
"""
