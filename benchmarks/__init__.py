"""Benchmarks of speed and memory against other libraries; run with ``python -m benchmarks``."""
