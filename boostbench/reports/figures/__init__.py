"""Figures: one module per kind or related kinds, and shared helpers."""
