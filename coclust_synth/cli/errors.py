"""How errors and warnings reach the user: one line on standard error, exit code 2."""

import sys
import warnings
from contextlib import contextmanager

import typer

from coclust_synth.exceptions import CoclustSynthError, DataWarning

_MAX_MESSAGE = 1500  # characters


@contextmanager
def clear_errors():
    """Turn this package's errors into a line and exit code 2, warnings into lines.

    Other exceptions are bugs and keep their traceback.
    """

    shown = set()

    def show(message, category, *args, **kwargs):
        text = f"Warning: {message}"
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
            print(f"Error: {_one_line(str(error))}", file=sys.stderr)
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


def _one_line(message):
    """A message without line ends, of a long value only its two ends."""
    message = message.replace("\r", "\\r").replace("\n", "\\n")
    if len(message) <= _MAX_MESSAGE:
        return message
    half = _MAX_MESSAGE // 2
    return f"{message[:half]} [...] {message[-half:]}"
