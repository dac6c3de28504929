"""Lists of names in options: between commas, where names can have some."""

import pandas as pd
import pytest
from support.commands import fails, succeeds

from coclust_synth.cli.commands.check import with_orders
from coclust_synth.cli.names import split_names
from coclust_synth.cli.privacy_options import parse_importance
from coclust_synth.exceptions import ParameterError


def test_names_are_those_of_columns():
    columns = ["age", "a,b", "a", "How much, if at all", "sex ", " "]
    for text, expected in (
        ("a,b,a", ["a,b", "a"]),
        ("age, a, How much, if at all", ["age", "a", "How much, if at all"]),
        ("age,sex ", ["age", "sex "]),
        ("b, sexe,", ["b", "sexe", ""]),
    ):
        assert split_names([text], columns) == expected
    assert split_names(["a", "b,a"], columns) == ["a", "b", "a"]
    assert split_names(None, columns) == []


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ('"a, b",c', ["a, b", "c"]),
        ('c, "a, b" ,d', ["c", "a, b", "d"]),
        ('"say ""no"", or yes"', ['say "no", or yes']),
        ('"a', ['"a']),
        ('"a"b,c', ['"a"b', "c"]),
        ('""', ['""']),
    ],
)
def test_names_in_quotes_hold_commas(said, names):
    assert split_names([said]) == names


def test_names_of_the_table_are_as_they_stand():
    known = ['"a"', "a", "How much, if at all", '"q, r"']
    for said in (known, reversed(known)):
        said = [*said]
        assert split_names([",".join(said)], known) == said
    assert split_names(['"How much, if at all",a'], known) == [known[2], "a"]


def test_a_declared_domain_has_names_with_commas(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = ("--columns", '"How much, if at all",age', "--columns", "job")
    succeeds("domain", "--new", "domain.toml", *asked)
    text = (tmp_path / "domain.toml").read_text()
    assert 'name = "How much, if at all"' in text and 'name = "job"' in text
    (tmp_path / "t.csv").write_text('"a, b",c\n1,x\n2,y\n')
    of = ("--domain-from-data", "t.csv", "--force")
    succeeds("domain", "--new", "domain.toml", "--columns", '"a, b"', *of)
    assert 'name = "a, b"' in (tmp_path / "domain.toml").read_text()
    fails(tmp_path, "domain", "--new", "o.toml", "--columns", " , ", match="names of")


def test_importances_are_of_names_with_commas():
    columns = ["age", "a, b"]
    for said in ('"a, b"=2,age=1', "a, b=2,age=1"):
        assert parse_importance(said, columns) == {"a, b": 2, "age": 1}
    assert parse_importance("a, b,age", columns) == ["a, b", "age"]
    with pytest.raises(ParameterError, match="Received 'age,sex=1'"):
        parse_importance("age,sex=1", columns)


def test_values_in_order_can_have_commas():
    frame = pd.DataFrame({"size": ["none, or few", "many", None]})
    for said in ('size="none, or few",many', "size=none, or few,many"):
        ordered = with_orders(frame, [said])["size"]
        assert ordered.cat.categories.tolist() == ["none, or few", "many"]
    with pytest.raises(ParameterError, match="Name one of the columns 'size'"):
        with_orders(frame, ["sizes=many"])
