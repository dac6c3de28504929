"""The command line: parsing, calling, printing, exit codes.

names            lists of names between commas
commands         one file for each command, or for a few
people           tables of which people are counted, and warnings of others
private_request  what is asked of `dp`
plain_folder, anonymize_folder  synth and anonymize of what an engine counts
"""

from coclust_synth.cli.app import main

__all__ = ["main"]
