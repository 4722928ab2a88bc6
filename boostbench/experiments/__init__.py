"""Experiments: from a config to a grid of runs, and from runs to records."""
