"""Execution of runs: executors, worker processes and the records they return."""
