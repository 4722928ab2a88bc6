"""Configs: the keys of an experiment, read and checked."""
