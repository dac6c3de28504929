"""What a module's source states, without a look into its expressions."""

import ast
import functools

BLOCKS = "body", "orelse", "finalbody", "handlers", "cases"


def held_statements(owner):
    """Each statement in a syntax tree, with the one that holds it.

    A walk through all nodes takes several times as long: most are of expressions.
    """
    for block in BLOCKS:
        for statement in getattr(owner, block, ()):
            yield owner, statement
            yield from held_statements(statement)


def statements(owner):
    return (statement for _, statement in held_statements(owner))


@functools.cache
def parsed(path):
    """The syntax tree of a file, which nobody changes."""
    return ast.parse(path.read_text(encoding="utf-8"))
