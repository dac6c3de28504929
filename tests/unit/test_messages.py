"""Every error of ours says what was expected, what came, and what to do next."""

import ast
import re
from pathlib import Path

import pytest
from support.statements import parsed, statements

import coclust_synth
from coclust_synth import exceptions

PACKAGE = Path(coclust_synth.__file__).parent
OURS = {
    name
    for name, found in vars(exceptions).items()
    if isinstance(found, type) and issubclass(found, exceptions.CoclustSynthError)
}
PARTS = re.compile(r"\b[Ee]xpected\b.*\bReceived\b.*[.?!] .*\w", re.DOTALL)


def assigned(nodes):
    """The expressions that each plain name of a module stands for."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found


def returned(modules):
    """The expressions that each function of the package may return."""
    found = {}
    for nodes in modules:
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                values = [
                    n.value for n in statements(node) if isinstance(n, ast.Return)
                ]
                found.setdefault(node.name, []).extend(filter(None, values))
    return found


def spelled(node, names, functions):
    """What a message says, with ``x`` for what is only known when it is raised."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(spelled(part, names, functions) for part in parts)
        case ast.FormattedValue(value=value):
            return spelled(value, names, functions)
        case ast.BinOp(left=left, right=right):
            return spelled(left, names, functions) + spelled(right, names, functions)
        case ast.Name(id=name) if name in names:
            return " ".join(spelled(value, {}, functions) for value in names[name])
        case ast.Call(func=ast.Name(id=name)) if name in functions:
            return " ".join(spelled(value, {}, {}) for value in functions[name])
    return "x"


def raised(nodes):
    """The line, the exception's name and the message of every raise of ours."""
    for node in nodes:
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[message, *_])):
                if name in OURS:
                    yield node.lineno, message


def unfinished(modules):
    """Where messages lack one of the three parts."""
    functions = returned(modules.values())
    for path, nodes in modules.items():
        names = assigned(nodes)
        for line, message in raised(nodes):
            if not PARTS.search(spelled(message, names, functions)):
                yield f"{path}:{line}"


@pytest.mark.slow
def test_messages_have_three_parts():
    modules = {
        str(path.relative_to(PACKAGE)): list(statements(parsed(path)))
        for path in PACKAGE.rglob("*.py")
    }
    assert sum(len(list(raised(nodes))) for nodes in modules.values()) > 300
    assert list(unfinished(modules)) == []


@pytest.mark.parametrize(
    "message",
    [
        '"Expected 1; got 2. Give 1."',
        '"The name must be text. Received 2. Correct it."',
        'f"Expected {a}. Received {b}."',
    ],
)
def test_a_message_that_lacks_a_part_is_found(message):
    nodes = list(statements(ast.parse(f"a = 1\nraise TableError({message})")))
    assert list(unfinished({"here": nodes})) == ["here:2"]
