"""Classifiers that the boosters are compared with, beside those of other packages."""
