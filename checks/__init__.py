"""Long checks that are no tests: `python -m checks.attack`, `python -m checks.bits`."""
