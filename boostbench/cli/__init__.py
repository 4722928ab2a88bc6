"""Command-line interface: parse arguments, call a function and print the result."""

from boostbench.cli.app import main
