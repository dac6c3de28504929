"""Experiments: a config in, tidy rows and a figure out. See `experiments.run`."""
