"""Claims for synthetic experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.kind_options import read_claims
from tests.reports.synthetic import reading

#: Shipped configs, with kinds of claims beside them.
CONFIGS = Path(__file__).resolve().parents[3] / "configs"


def with_claims(config: Config, *claims: dict[str, Any]) -> Config:
    """Return the config with claims, as `load_config` would."""
    info = reading(config, "report")
    return config.model_copy(update={"claims": read_claims(list(claims), info)})
