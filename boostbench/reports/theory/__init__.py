"""The computed figures of "A theory of multiclass boosting"."""
