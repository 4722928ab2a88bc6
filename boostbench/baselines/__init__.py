"""Baseline classifiers implemented in this package."""
