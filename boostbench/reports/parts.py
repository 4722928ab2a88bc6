"""The parts of a report as the config lists them: what each is drawn by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench import registry
from boostbench.errors import BoostbenchError, ConfigError, PluginError
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.report import ReportPart
from boostbench.reports.tables.errors import Table
from boostbench.reports.values.frame import Study
from boostbench.reports.values.options import PartOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Part", "named_parts"]


@dataclass(frozen=True)
class Part:
    """A table or a figure of a report.

    Attributes
    ----------
    part : ReportPart
        As the config has it.
    where : str
        For messages.
    """

    part: ReportPart
    where: str

    @property
    def name(self) -> str:
        """The name of its files, without suffix."""
        return self.part.name

    @property
    def is_table(self) -> bool:
        """Whether it is a table rather than a figure."""
        return self.part.is_table

    def make(self, study: Study) -> Table | Figure:
        """Build the table or draw the figure.

        Raises
        ------
        BoostbenchError
            If an option has no such value, the runs do not suffice, or a plugin raises.
        """
        from boostbench.reports.figures.style import drawing_style

        options = self.part.options
        assert isinstance(options, PartOptions)
        chosen = study.only(boosters=options.boosters, datasets=options.datasets)
        try:
            if not chosen.results:
                raise BoostbenchError("its boosters and data sets are not among the runs")
            with drawing_style(mathtext=False):
                made: Table | Figure = options.function(chosen, **options.arguments())
        except ConfigError:
            raise
        except BoostbenchError as error:
            raise BoostbenchError(error.what, where=error.where or self.where) from error
        except Exception as error:
            kinds = registry.tables if self.is_table else registry.figures
            if kinds.module(self.part.kind).startswith("boostbench."):
                raise  # a bug of ours
            what = f"raised {type(error).__name__}: {error}"
            raise PluginError(what, where=self.where) from error
        return made


def named_parts(config: Config) -> list[Part]:
    """Return the parts of a config's report."""
    return [Part(part, f"{config.path}: report: {part.kind}") for part in config.report]
