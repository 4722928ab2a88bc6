"""The command line: parse, call one function, print."""

from boostbench.cli.app import main

__all__ = ["main"]
