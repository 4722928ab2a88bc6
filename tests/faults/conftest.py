from tests.experiments.conftest import config_file, runs_of, toys

__all__ = ["config_file", "runs_of", "toys"]
