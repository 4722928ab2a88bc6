"""All that a plugin may import, in one place: ``from boostbench.plugins import Booster, boosters``.

The names below are kept, or their change is announced in the changelog; other modules may change
with any version. A name is imported when it is asked for: a plugin of a booster loads no drawings.
"""

# ruff: noqa: F401
from __future__ import annotations

from typing import TYPE_CHECKING

from boostbench.resources import lazy

if TYPE_CHECKING:
    from sklearn.utils._param_validation import Interval

    from boostbench.boosters import make_booster
    from boostbench.boosters.binary import TwoClasses
    from boostbench.boosters.cost_matrices import label_costs
    from boostbench.boosters.loop import Booster
    from boostbench.boosters.losses import LOSSES, Latent, MarginLoss
    from boostbench.boosters.regularisers import REGULARISERS
    from boostbench.boosters.state import BoostState, Step
    from boostbench.data.catalog import find_entry
    from boostbench.data.dataset import Dataset
    from boostbench.data.loading import load
    from boostbench.declared import Count, NotNegative, Positive, Share
    from boostbench.errors import BoostbenchError, UnknownNameError, unknown
    from boostbench.experiments.configs.fields import BESIDE, FileBeside
    from boostbench.experiments.configs.file import load_config
    from boostbench.experiments.configs.kind_options import BoosterLabel, Scope, scope_of
    from boostbench.experiments.running.execution import Problem, prepare
    from boostbench.experiments.runs import CLEAN
    from boostbench.experiments.store.record import Record
    from boostbench.inputs import load_plugin
    from boostbench.noise import Proposal
    from boostbench.portable import exp, log, row_sums, total
    from boostbench.quantities import NUMBERS, QUANTITIES, metric, quantity
    from boostbench.registry import (
        boosters,
        claims,
        figures,
        generators,
        noise_models,
        tables,
        weak_learners,
    )
    from boostbench.reports.claims.claim_options import (
        At,
        Labels,
        Number,
        SeveralLabels,
        Tolerance,
        Whole,
    )
    from boostbench.reports.claims.comparing import held_in, ranked
    from boostbench.reports.claims.inference import Outcome, all_of, at_least, lower, near
    from boostbench.reports.claims.kind import (
        AboutMeans,
        AboutRuns,
        AboutValues,
        Case,
        Evidence,
        Kind,
        UnitOfTest,
    )
    from boostbench.reports.figures.panels import (
        DIAMOND,
        add_legend,
        axis_at,
        colours_of,
        describe,
        lay_out,
        remark,
        repeats_in_words,
        round_log_ticks,
        styles_of,
    )
    from boostbench.reports.figures.rank_figures import case_errors
    from boostbench.reports.figures.style import GREY, INK, SMALL, method_styles, round_ticks
    from boostbench.reports.tables.table import BEYOND, OFF, Row, Table, TableCell
    from boostbench.reports.text import capital, in_print, listed, span
    from boostbench.reports.values.estimates import (
        competition_ranks,
        estimate,
        holm,
        resampled_sets,
        share_in_words,
        signed_rank_p,
    )
    from boostbench.reports.values.frame import END, Result, Study, error_curve, tidy
    from boostbench.reports.values.paper import NO_VALUE, PRINTED, PaperValues, read_rows
    from boostbench.reports.values.part_options import (
        AtRound,
        MetricName,
        PaperFile,
        Scale,
        Title,
        check_compared,
        check_metrics,
        chosen_round,
        chosen_rounds,
    )
    from boostbench.reports.values.samples import Repeats, sample_of, samples_of, side_by_side
    from boostbench.theory.bounds import make_potential, potential_bound
    from boostbench.theory.codewords import codewords
    from boostbench.theory.conditions import costs_of, decide_all
    from boostbench.theory.gaussians import bayes_error, log_densities
    from boostbench.theory.layout import own_labels, true_label_first, uniform_baseline
    from boostbench.theory.minimal import degree_of, worst_mean
    from boostbench.theory.potentials import final_loss
    from boostbench.theory.spaces import Space, two_constants
    from boostbench.validation import Distinct, Listed, MistakesError, OneOrMore, as_list
    from boostbench.weak_learners import (
        LEAVES,
        NESTED_TREES,
        TREE_PER_CLASS,
        BinaryLabels,
        Costs,
        Hypothesis,
        Targets,
        WeightedLabels,
    )

__getattr__, __dir__ = lazy(__file__)
