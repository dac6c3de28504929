"""The rooms keep their order, and no function outgrows what one can hold in mind."""

import ast
import inspect
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from support.statements import held_statements, parsed, statements

import coclust_synth

PACKAGE = Path(coclust_synth.__file__).parent

#: Imports go from later families to earlier ones.
ORDER = [
    "tables",
    "scale",
    "privacy",
    "modl",
    "generators",
    "baselines",
    "evaluation",
    "plotting",
    "reports",
    "cli",
]
#: What every family may import, and which imports no family.
COMMON = {"_jit", "_version", "exceptions", "validation"}

MAX_LINES = 80  # without the docstring
MAX_PARAMETERS = 10


@pytest.fixture(scope="module")
def sources():
    """The syntax tree of each module, by its dotted name below the package.

    The package's own face, which names what is public, imports from everywhere.
    """
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = parsed(path)
        stub = path.with_suffix(".pyi")  # what a family imports when it is asked for
        if stub.exists():
            body = [*found[name].body, *parsed(stub).body]
            found[name] = ast.Module(body, type_ignores=[])
    return {name: tree for name, tree in found.items() if name}


def imports(sources):
    """The modules that each module imports, of the package, wherever it does so."""
    found = {name: set() for name in sources}
    for name, tree in sources.items():
        for node in statements(tree):
            for target in imported(node, name):
                while target and target not in sources:
                    target = target.rpartition(".")[0]  # what a module defines
                found[name] |= {target} - {"", name}
    return found


def imported(node, name):
    """Dotted names below the package that one statement of a module imports."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0 or name in ORDER, "imports are absolute, but in stubs"
        base = f"{PACKAGE.name}.{name}." if node.level else ""
        names = [f"{base}{node.module}.{alias.name}" for alias in node.names]
    else:
        return []
    ours = PACKAGE.name + "."
    return [name.removeprefix(ours) for name in names if name.startswith(ours)]


def of_rooms(graph):
    """The same imports between rooms: subpackages of a family, and its own modules."""

    def room(name):
        parts = name.split(".")
        return ".".join(parts[:-1] if len(parts) > 2 else parts)

    found = {room(name): set() for name in graph}
    for name, targets in graph.items():
        found[room(name)] |= {room(target) for target in targets} - {room(name)}
    return found


def cycle(graph):
    """Names along a cycle, or none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def upward(graph):
    """Imports of a later family, or of any by what all of them share."""
    rank = {family: i for i, family in enumerate(ORDER)} | dict.fromkeys(COMMON, -1)
    rank["__main__"] = len(ORDER)
    for name, targets in graph.items():
        for target in targets:
            families = name.split(".")[0], target.split(".")[0]
            if rank[families[0]] < rank[families[1]]:
                yield f"{name} imports {target}"


@pytest.fixture(scope="module")
def graph(sources):
    return imports(sources)


def test_imports_have_no_cycle(graph):
    assert sum(map(len, graph.values())) > 500
    assert cycle(graph) == []
    assert cycle(of_rooms(graph)) == []


def test_families_import_only_earlier_ones(graph):
    assert {name.split(".")[0] for name in graph} == {*ORDER, *COMMON, "__main__"}
    assert sorted(upward(graph)) == []


def test_rooms_are_packages():
    rooms = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [room for room in rooms if not (room / "__init__.py").exists()] == []


def test_packages_say_what_their_modules_are_for():
    """Those that hold packages say it of these."""
    for package in PACKAGE.rglob("__init__.py"):
        said = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8")))
        assert said is not None, package.relative_to(PACKAGE)
        modules = {path.stem for path in package.parent.glob("[a-z]*.py")}
        if any(package.parent.glob("*/__init__.py")):
            continue
        missing = modules - set(re.findall(r"\w+", said))
        assert not missing, f"{package.relative_to(PACKAGE)}: {missing}"


def test_wrong_imports_are_found():
    def graph(**modules):
        names = {name.replace("_", "."): text for name, text in modules.items()}
        return imports({name: ast.parse(text) for name, text in names.items()})

    of = "from coclust_synth.{} import {}".format
    in_a_circle = graph(
        modl_grid_a=of("modl.search.b", "x"), modl_search_b=of("modl.grid", "a")
    )
    assert cycle(in_a_circle) and cycle(of_rooms(in_a_circle))
    between_rooms = graph(
        modl_grid_a=of("modl.search.b", "x"),
        modl_grid_c="",
        modl_search_b="",
        modl_search_d="import coclust_synth.modl.grid.c",
    )
    assert not cycle(between_rooms) and cycle(of_rooms(between_rooms))
    later = graph(tables_a=f"def f():\n    {of('modl.b', 'x')}", modl_b="")
    assert list(upward(later)) == ["tables.a imports modl.b"]


def too_large(name, tree):
    """Functions of more lines or parameters than a reader can hold in mind.

    The parameters of a command are its users': any number.
    """
    for _, node in held_statements(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        lines = node.end_lineno - node.lineno + 1
        if ast.get_docstring(node) is not None:
            lines -= node.body[0].end_lineno - node.body[0].lineno + 1
        parameters = [n for n in ast.walk(node.args) if isinstance(n, ast.arg)]
        many = len(parameters) > MAX_PARAMETERS and ".commands." not in name
        if lines > MAX_LINES or many:
            yield f"{name}.{node.name}"


def test_functions_are_small(sources):
    found = [large for name, tree in sources.items() for large in too_large(name, tree)]
    assert found == []


def test_large_functions_are_found():
    def found(name, lines, parameters):
        names = ", ".join(f"a{i}" for i in range(parameters))
        function = [
            f"def f({names}):",
            '    """One',
            '    two."""',
            *["    a0"] * lines,
        ]
        return list(too_large(name, ast.parse("\n".join(function))))

    assert found("a.b", 79, 10) == found("cli.commands.b", 1, 11) == []
    assert found("a.b", 80, 1) == found("a.b", 1, 11) == ["a.b.f"]
    assert found("cli.commands.b", 80, 1) == ["cli.commands.b.f"]


def test_public_names_have_an_example():
    lacking = [
        name
        for name in coclust_synth.__all__
        if callable(found := getattr(coclust_synth, name))
        and not (inspect.isclass(found) and issubclass(found, Exception))
        and ">>> " not in inspect.getdoc(found)
    ]
    assert lacking == []
