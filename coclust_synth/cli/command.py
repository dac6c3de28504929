"""What makes a command of a function: its options in groups, its errors in one line.

An option is declared once, as a field of a dataclass or a parameter of the command. Its
name is that of the argument of an estimator that it sets, so that the methods which
take it are known: the help says which, and others refuse it.
"""

import re
import sys
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, NamedTuple, get_args, get_type_hints

import typer

from coclust_synth.exceptions import CoclustSynthError, DataWarning, ParameterError
from coclust_synth.reports.console import one_line

_MAX_MESSAGE = 1500  # characters


class Sets(NamedTuple):
    """Annotation of an option that sets an argument of another name than its own."""

    argument: str


def command(function):
    """Make a command of a function.

    A parameter whose type is a group of options stands for its fields: each is an
    option, and the function is given them together. Errors end the command in one line.

    Parameters
    ----------
    function : callable

    Returns
    -------
    callable
        With the signature that Typer reads.
    """
    parameters = signature(function).parameters.values()
    groups = {p.name: p.annotation for p in parameters if is_dataclass(p.annotation)}
    options = []
    for own in parameters:
        if own.name in groups:
            options += _options_of(groups[own.name])
        else:
            options.append(own.replace(kind=Parameter.KEYWORD_ONLY))

    @wraps(function)
    def run(**given):
        for name, group in groups.items():
            own = {field.name: given.pop(field.name) for field in fields(group)}
            given[name] = group(**own)
        with clear_errors({own.name: _flag(own) for own in options}):
            return function(**given)

    run.__signature__ = signature(function).replace(parameters=options)
    run.__annotations__ = {own.name: own.annotation for own in options}
    return run


def _options_of(group):
    """The fields of a group as parameters; it may say in which panel each is."""
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        annotation = hints[field.name]
        if hasattr(group, "panel_of"):
            kind, option, *more = get_args(annotation)
            option = copy(option)
            option.rich_help_panel = group.panel_of(_argument(field.name, more))
            annotation = Annotated[(kind, option, *more)]
        yield Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=annotation,
        )


def _flag(parameter):
    """What a parameter is called on the command line."""
    # Beside a type Typer takes the first flag for a default, until it reads both.
    declared = [
        str(flag)
        for own in get_args(parameter.annotation)[1:]
        if isinstance(own, typer.models.OptionInfo)
        for flag in (own.default, *(own.param_decls or ()))
    ]
    flags = [flag.partition("/")[0] for flag in declared if flag.startswith("--")]
    return flags[0] if flags else f"--{parameter.name.replace('_', '-')}"


def _argument(name, annotations):
    others = [own.argument for own in annotations if isinstance(own, Sets)]
    return others[0] if others else name


def chosen_options(context: typer.Context, function) -> dict[str, str]:
    """Arguments that the command line sets, and the option that it does so by.

    Parameters
    ----------
    context : Context
    function : callable
        The command.
    """
    parameters = signature(function).parameters
    return {
        _argument(own.name, get_args(parameters[own.name].annotation)[1:]): own.opts[0]
        for own in context.command.params
        if own.name in parameters
        and context.get_parameter_source(own.name).name == "COMMANDLINE"
    }


def panel_of_methods(argument: str, takes: Mapping[str, set]) -> str:
    """What the options of the methods that take an argument stand under in the help."""
    own = [method for method, arguments in takes.items() if argument in arguments]
    others = [method for method in takes if method not in own]
    if len(own) <= len(others):
        return f"Options of {', '.join(own)}"
    return f"Options of all methods but {', '.join(others)}" if others else "Options"


def check_options(
    method: str, chosen: Mapping[str, str], takes: Mapping[str, set]
) -> None:
    """Refuse options that belong to other methods than the one that is asked for.

    Parameters
    ----------
    method : str
    chosen : mapping of str to str
        See `chosen_options`.
    takes : mapping of str to set of str
        Arguments of each method. One that no method takes is the command's own.

    Raises
    ------
    ParameterError
    """
    for argument, option in chosen.items():
        own = [other for other, arguments in takes.items() if argument in arguments]
        if own and method not in own:
            raise ParameterError(
                f"Expected options of the method {str(method)!r}. Received {option}, "
                f"which belongs to {', '.join(map(repr, own))}. Leave it out, or "
                "choose another method."
            )


@contextmanager
def clear_errors(flags: Mapping[str, str]):
    """Turn this package's errors into a line and exit code 2, warnings into lines.

    Other exceptions are bugs and keep their traceback.

    Parameters
    ----------
    flags : mapping of str to str
        The option of each argument, by which errors about its value call it.
    """
    names = "|".join(flags)
    argument = re.compile(
        rf"(?<=^Expected )({names})(?= to be | up to )|"
        rf"(?<=Choose )({names})(?= in that range)"
    )
    shown = set()

    def show(message, category, *args, **kwargs):
        text = one_line(f"Warning: {message}")
        if not issubclass(category, DataWarning):
            text = warnings.formatwarning(message, category, *args[:2])
        if text not in shown:
            shown.add(text)
            print(text, file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        warnings.showwarning = show
        try:
            yield
        except CoclustSynthError as error:
            told = argument.sub(lambda found: flags[found[0]], str(error))
            print(f"Error: {_shortened(told)}", file=sys.stderr)
            raise typer.Exit(2) from None
        except MemoryError:
            print(
                "Error: Expected enough memory for this table. Received too little. "
                "Drop columns, use fewer bins, or ask for fewer rows.",
                file=sys.stderr,
            )
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            print("Stopped.", file=sys.stderr)
            raise typer.Exit(130) from None


def _shortened(message):
    """A message without line ends, of a long value only its two ends."""
    message = one_line(message)
    if len(message) <= _MAX_MESSAGE:
        return message
    half = _MAX_MESSAGE // 2
    return f"{message[:half]} [...] {message[-half:]}"
