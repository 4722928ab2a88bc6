"""Figures: one module a kind, and what several kinds share."""
