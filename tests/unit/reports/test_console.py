"""What is printed is what was given: no markup, no pictures, no colours."""

import io

import pytest
import rich.console
from rich.tree import Tree

from coclust_synth import GeneralizationHierarchy
from coclust_synth.reports.console import (
    print_facts,
    print_kept,
    print_pooled,
    print_rules,
    print_schema,
    print_table,
    print_tree,
)
from coclust_synth.reports.hierarchy_tree import print_hierarchy
from coclust_synth.tables.column import Column
from coclust_synth.tables.relations import Never, Order
from coclust_synth.tables.rules.kept import Rule
from coclust_synth.tables.schema import Schema

ODD = (
    "11:100:2",
    ":smile:",
    "[red]x[/red]",
    "[/]",
    "[link=a]b",
    "\\[red]",
    "{0}",
    "%s",
)


@pytest.fixture(params=[False, True], ids=["file", "terminal"])
def printed(request, monkeypatch, capsys):
    """Whatever was printed, into a file or on a terminal."""
    if not request.param:
        return lambda: capsys.readouterr().out
    screen = io.StringIO()

    def terminal(**options):
        return console_class(**options, file=screen, force_terminal=True, width=200)

    console_class = rich.console.Console
    monkeypatch.setattr(rich.console, "Console", terminal)
    return lambda: screen.getvalue() + capsys.readouterr().out


def test_a_name_with_a_line_end_takes_one_line(capsys):
    print_facts({"kept": "a\nb", "nodes": {"a\nb": 2}, "left_of_a\nb": 3})
    own = Schema((Column(name="a\nb", kind="categorical"),))
    print_pooled([{"column": "a\nb", "values": 2, "rows": 3}], own)
    print_kept([{"kind": "order", "rule": "a\nb <= c"}])
    print_table(["rule"], [["a\r\nb <= c"]])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in lines if line and line != "rule"] == [
        r"kept          a\nb",
        r"nodes         2 a\nb",
        r"left of a\nb  3",
        r"a\nb: 2 rare values, of 3 rows, are released as others.",
        r"Kept: a\nb <= c",
        r"a\r\nb <= c",
    ]


def test_no_rule_that_drawn_rows_break_is_told_as_kept_alone(capsys):
    rules = [
        {"kind": "never", "columns": [f"a{i}", "b"], "rule": f"a{i}, b: never x with 1"}
        for i in range(6)
    ]
    rules[2]["drawn_broken"] = 1_189
    rules[3]["drawn_broken"] = 0
    print_kept([*rules, {"kind": "order", "rule": "a <= b", "drawn_broken": 2}])
    assert capsys.readouterr().out.splitlines() == [
        "Kept: a2, b: never x with 1 (except in 1,189 of the drawn rows)",
        "Kept: values that never meet, of 5 other pairs of columns "
        "(`inspect` lists them)",
        "Kept: a <= b (except in 2 of the drawn rows)",
    ]


def test_long_ranges_that_never_meet_are_cut(capsys):
    ranges = "2014-06-28 00:01 to 2014-11-23 12:00 with 2014-11-24 00:01 to 2017-11-17"
    rule = f"start, end: never {', '.join([ranges] * 3)}"
    never = {"kind": "never", "columns": ["start", "end"], "rule": rule}
    total = {"kind": "fit", "rule": " + ".join(f"a{i}" for i in range(50))}
    print_kept([never, total])
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"Kept: start, end: never {ranges}")
    assert first.endswith("...") and len(first) == len("Kept: ") + 120
    assert second == f"Kept: {total['rule']}"


def test_many_rules_of_a_kind_are_counted(capsys):
    rules = [{"kind": "order", "rule": f"a{i} <= b"} for i in range(1_025)]
    print_kept([{"kind": "nested", "rule": "b -> c"}, *rules])
    assert capsys.readouterr().out.splitlines() == [
        "Kept: b -> c",
        *(f"Kept: a{i} <= b" for i in range(20)),
        "Kept: 1,005 more like it (`inspect --json` lists them)",
    ]


def test_of_a_thousand_rules_a_hundred_are_listed(printed):
    never = [Never(f"a{i}", "b", values=((1, 1),)) for i in range(1_025)]
    rules = [Rule(each, 90, 90, 0) for each in (*never, Order("a0", "c"))]
    print_rules(rules, stated=False)
    told = printed()
    assert told.count(": never") == 100 and "a99, b" in told and "a0 <= c" in told
    assert "... and 925 more of the kind 'never' (a schema, -o, " in told


def test_of_hundreds_of_columns_sixty_are_named(capsys):
    names, own = [f"a{i}" for i in range(100)], {"kind": "categorical"}
    columns = [Column(name=name, **own, categories=("x",)) for name in names]
    pooled = [{"column": own.name, "values": 2, "rows": 3} for own in columns]
    print_pooled(pooled, Schema(tuple(columns)))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:-1]] == [f"a{i}" for i in range(60)]
    assert lines[-1].startswith("Rare values of 40 more columns are released as others")


@pytest.mark.parametrize("value", ODD)
def test_values_are_printed_as_they_are(value, printed):
    print_table([value], [[value]], title=value)
    assert printed().count(value) == 3
    print_facts({value: value})
    assert printed().endswith(f"{value}  {value}\n")
    print_hierarchy(GeneralizationHierarchy.from_lines(value, [(value, "*")]))
    assert printed().count(value) >= 2
    tree = Tree(value)
    tree.add(value)
    print_tree(tree)
    assert printed().count(value) >= 2


def test_a_narrow_terminal_cuts_no_value(monkeypatch):
    screen = io.StringIO()
    console_class = rich.console.Console
    monkeypatch.setattr(
        rich.console,
        "Console",
        lambda **options: console_class(
            **options, file=screen, force_terminal=True, width=40
        ),
    )
    print_table(("country", "race", "fails"), [["Liechtenstein"] * 3] * 2)
    text = screen.getvalue()
    assert "…" not in text
    assert text.count("i") == 2 * 6 + 1  # all of each, and that of fails


def test_categories_that_differ_in_blanks_are_told_apart(capsys):
    own = Column(name="smoker", kind="categorical", categories=("NO", "NO ", 3))
    print_schema(Schema((own,)), source="t.csv")
    assert "NO, 'NO ', 3" in capsys.readouterr().out


def test_of_many_rare_values_it_is_said_how_a_public_list_is_released(capsys):
    schema = Schema((Column(name="town", kind="categorical", categories=("x",)),))
    print_pooled([{"column": "town", "values": 99, "rows": 300}], schema)
    print_pooled([{"column": "town", "values": 100, "rows": 300}], schema)
    few, many = capsys.readouterr().out.splitlines()
    assert few.endswith("are released as others.")
    assert "(public = true in a schema releases them: say so of a public list)" in many


def test_rare_numbers_are_not_said_to_be_released_as_others_alone(capsys):
    schema = Schema((Column(name="children", kind="integer"),))
    print_pooled([{"column": "children", "values": 7, "rows": 46}], schema)
    print_pooled([{"column": "children", "values": 1, "rows": 2}], schema)
    said = ", or described by a mean and a spread."
    assert capsys.readouterr().out.splitlines() == [
        f"children: 7 rare values, of 46 rows, are released as others{said}",
        f"children: 1 rare value, of 2 rows, is released as another{said}",
    ]
