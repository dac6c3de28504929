"""The help: examples that parse, options by panel with their defaults; completion."""

import shlex
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from inspect import signature
from typing import get_args

import pytest
import typer
from support.commands import fails, run
from typer.testing import CliRunner

from coclust_synth.cli.anonymizers import TAKES, MethodOptions
from coclust_synth.cli.app import COMMANDS as FILES
from coclust_synth.cli.app import app
from coclust_synth.cli.command import Sets, panel_of_methods
from coclust_synth.cli.commands.anonymize import anonymize
from coclust_synth.cli.private_request import METHODS, Asked
from coclust_synth.cli.private_request import TAKES as OF_METHODS

GROUP = typer.main.get_command(app)
COMMANDS = {name: GROUP.get_command(None, name) for name in FILES}


def helped(name):
    """The help of a command: its sections by title, and all of it in one line."""
    shown = run(name, "--help").stdout
    parts = [part for part in shown.split("\n\n") if ":\n" in part]
    return dict(part.split(":\n", 1) for part in parts), " ".join(shown.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_command_parses(name):
    words = shlex.split(COMMANDS[name].help.rpartition("Example: ")[2])
    assert words[:2] == ["coclust-synth", name]
    COMMANDS[name].make_context(name, words[2:])
    assert f"Example: {' '.join(words)}" in helped(name)[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_stands_in_its_panel_with_its_default(name):
    sections, shown = helped(name)
    for own in COMMANDS[name].params:
        if getattr(own, "hidden", False):
            continue
        assert own.help
        panel = own.rich_help_panel or f"{own.param_type_name.capitalize()}s"
        told = own.opts[0] if own.param_type_name == "option" else own.metavar
        assert told in sections[panel]
        if own.default not in (None, False):
            assert f"[default: {getattr(own.default, 'value', own.default)}" in shown


@pytest.mark.slow
def test_the_list_of_commands_is_told_before_they_are_imported():
    for name, (file, text) in FILES.items():
        module = import_module(f"coclust_synth.cli.commands.{file}")
        first = getattr(module, name).__doc__.split("\n\n")[0]
        assert text == " ".join(first.split())
    listed = "import sys; from coclust_synth.cli.app import app; app(['--help'], "
    listed += "standalone_mode=False); sys.exit('numpy' in sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", listed], capture_output=True, text=True, check=True
    ).stdout
    for name in FILES:
        assert f"\n  {name} " in shown


@pytest.mark.slow
def test_commands_import_what_takes_long_where_they_need_it():
    """Scikit-learn takes longer to import than a small table takes."""
    commands = ("check", "coclustering", "dp", "inspect")
    code = "import sys\n"
    code += "\n".join(f"import coclust_synth.cli.commands.{name}" for name in commands)
    late = {"sklearn", "scipy.stats", "joblib", "rich"}
    code += f"\nsys.exit(not {late}.isdisjoint(sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_option_of_some_methods_sets_an_argument_of_theirs():
    """Otherwise it would be passed over by all, and refused by none."""
    parameters = signature(anonymize).parameters
    for own in fields(MethodOptions):
        annotations = get_args(parameters[own.name].annotation)
        others = [one.argument for one in annotations if isinstance(one, Sets)]
        (argument,) = others or [own.name]
        assert any(argument in takes for takes in TAKES.values()), own.name


def test_what_a_method_of_dp_takes_is_told_before_it_is_imported():
    options = {own.name for own in fields(Asked)}
    for method, (family, name) in METHODS.items():
        arguments = {*signature(getattr(family, name)).parameters}
        assert OF_METHODS[method] == arguments & options, method


def test_a_panel_names_the_fewer_methods():
    takes = {"a": {"k", "x"}, "b": {"k", "x"}, "c": {"k", "y"}}
    assert panel_of_methods("y", takes) == "Options of c"
    assert panel_of_methods("x", takes) == "Options of all methods but c"
    assert panel_of_methods("k", takes) == "Options"


def test_dp_refuses_the_option_of_another_method(tmp_path):
    asked = ("--epsilon", 1, "--domain-from-data", "--method", "laplace")
    message = fails(
        tmp_path, "dp", "t.csv", "-o", "o.csv", *asked, "--variant", "thesis"
    )
    assert (
        "method 'laplace'. Received --variant, which belongs to 'dpcocgen'." in message
    )


@pytest.mark.parametrize(
    ("typed", "completed"),
    [("anonymize --method mon", "mondrian"), ("anat", "anatomy"), ("dp --eps", "--ep")],
)
def test_the_shell_completes_commands_options_and_methods(typed, completed):
    words = f"coclust-synth {typed}"
    asked = {
        "_COCLUST_SYNTH_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    result = CliRunner().invoke(app, [], prog_name="coclust-synth", env=asked)
    assert completed in result.stdout
    assert "--install-completion" in run("--help").stdout
