"""Commands in this process: what they print, and that they fail as they should."""

import functools
from pathlib import Path

import typer
from typer import testing
from typer.testing import CliRunner

from coclust_synth.cli.app import _Lazy, app

# Built once: each call of a command would build all of them anew, in 13 ms.
testing._get_command = functools.cache(testing._get_command)


def kept(get_command):
    """Commands by name, built once: each, and how its options are read, takes 10 ms."""
    made = {}

    def get(group, context, name):
        if name not in made:
            made[name] = get_command(group, context, name)
        return made[name]

    return get


_Lazy.get_command = kept(_Lazy.get_command)


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@functools.cache
def alone(command):
    """A command without the others beside it, which take time to set up."""
    app = typer.Typer()
    app.command()(command)
    return app


def run_alone(command, *arguments):
    return CliRunner().invoke(alone(command), [str(a) for a in arguments])


def succeeds(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def files_in(folder):
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() if p.is_file() else None
        for p in sorted(Path(folder).rglob("*"))
    }


def fails(folder, *arguments, match=()):
    """The command ends with code 2, one clear error, and nothing written."""
    before = files_in(folder)
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert result.stderr.count("Error: ") == 1
    for text in (match,) if isinstance(match, str) else match:
        assert text in result.stderr
    assert files_in(folder) == before
    return result.stderr
