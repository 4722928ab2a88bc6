"""Data sets: catalog, sources, readers, and splits into training and test rows."""
