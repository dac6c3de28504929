"""``python -m coclust_synth`` is the command line."""

from coclust_synth.cli import main

main()
