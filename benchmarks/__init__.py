"""Speed and memory of boostbench beside its peers; run with ``python -m benchmarks``."""
