"""Claims for made-up experiments."""

from __future__ import annotations

from typing import Any

from boostbench.experiments.configs.claims import read_claims
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.file import with_scope
from boostbench.source import Source


def with_claims(config: Config, *claims: dict[str, Any]) -> Config:
    """Return the config with claims, as `load_config` would."""
    stated = config.model_copy(update={"claims": read_claims(list(claims))})
    return with_scope(stated, Source(str(config.path), {}))
