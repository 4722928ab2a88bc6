"""boostbench: reproduce and compare multiclass and noise-robust boosting."""

__version__ = "0.1.0"
