"""Data sets: catalog, sources, generators, and splits into training and test rows."""
