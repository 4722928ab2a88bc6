"""Hostile inputs, kills and signals, tried by the thousand and counted."""
