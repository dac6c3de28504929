"""The MODL cost, in nats: lower is better.

terms           of a grid, term by term
variable_parts  of instances and variable parts
lookup          ln n! and the priors of partitions in tables
"""
