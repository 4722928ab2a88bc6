"""Configs: reading and validation of experiment descriptions."""
