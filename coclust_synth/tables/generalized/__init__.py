"""Tables whose cells are sets of values.

table, column          the table, and what each label stands for
value_sets             how a set reads, and how it weighs its values
covering, leaf_coding  nodes of hierarchies over the values of a class
sidecar                the file that says what labels stand for
"""
