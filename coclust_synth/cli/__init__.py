"""The command line: parsing, calling, printing, exit codes.

commands   one file for each command
"""

from coclust_synth.cli.app import main

__all__ = ["main"]
