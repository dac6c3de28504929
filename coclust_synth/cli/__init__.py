"""The command line: each command parses, calls, prints, and ends with an exit code."""

from coclust_synth.cli.app import main

__all__ = ["main"]
