"""Registries of boosters, weak learners, noise models, generators, figures, tables and claims.

A name is looked up among the objects registered by decorators (as those of ``--plugin FILE``), then
among the built-in objects, then among the entry points of installed packages in the groups
``boostbench.boosters``, ``boostbench.weak_learners``, ``boostbench.noise_models``,
``boostbench.generators``, ``boostbench.figures``, ``boostbench.tables`` and ``boostbench.claims``.
Listing names imports nothing; an object is imported on request. A plugin that cannot be loaded is
listed with the reason and does not affect other plugins.

Examples
--------
>>> from boostbench.registry import boosters
>>> "sm-boost" in boosters
True
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from boostbench.errors import PluginError, UnknownNameError
from boostbench.plugin_files import (
    ESCAPING,
    FILE_MODULE,
    executed_plugins,
    load_plugin,
    one_line,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry:
    """The names of one kind of plugin.

    Parameters
    ----------
    kind : str
        Singular name of the kind in messages: ``"booster"``.
    group : str
        Entry-point group of installed packages.
    builtin : mapping of str to str
        Name to ``"module:attribute"``.
    options : str, default=""
        ``"module:Class"`` of the base class of the models of options, if plugins have options.
    adapter : str, default=""
        ``"module:function"`` that turns classes of other packages into plugins. With an adapter,
        ``"package.module:Class"`` is a valid name.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        builtin: Mapping[str, str],
        *,
        options: str = "",
        adapter: str = "",
    ) -> None:
        self.kind = kind
        self.group = group
        self._options = options
        self._adapter = adapter
        self._builtin = dict(builtin)
        self._registered: dict[str, Any] = {}
        self._entry_points: dict[str, EntryPoint] | None = None
        self._broken: dict[str, str] = {}

    def register(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers an object under ``name``.

        Raises
        ------
        PluginError
            If the name is taken by another object.
        """

        def add(plugin: T) -> T:
            known = self._registered.get(name)
            is_other = known is not None and _origin(known) != _origin(plugin)
            if name in self._builtin or is_other:
                raise PluginError(f"a {self.kind} {name!r} exists already; choose another name")
            self._registered[name] = plugin
            return plugin

        return add

    def unregister(self, name: str) -> None:
        """Remove a name that was registered by a decorator; unknown names are ignored."""
        self._registered.pop(name, None)

    def names(self) -> list[str]:
        """Return all names in alphabetical order, without imports."""
        return sorted({*self._registered, *self._builtin, *self._installed()})

    def get(self, name: str, *, where: str = "") -> Any:
        """Return the object of a name or of ``"FILE.py:attribute"``.

        Raises
        ------
        UnknownNameError
            If the name is unknown; the message suggests a similar one.
        PluginError
            If the plugin cannot be loaded; the message gives the reason.
        ModuleNotFoundError
            If a required package is not installed.
        """
        plugin = self._lookup(name, where)
        return _import_object(self._adapter)(plugin) if self._adapter else plugin

    def named(self, spec: str | Mapping[str, Any], where: str = "") -> tuple[str, dict[str, Any]]:
        """Return name and parameters of ``name`` or ``{name: parameters}``; else ValueError."""
        spec = {spec: None} if isinstance(spec, str) else spec
        if len(spec) != 1 or not all(isinstance(p, Mapping | None) for p in spec.values()):
            what = f"a {self.kind} is one name with parameters, {{name: {{parameter: value}}}}"
            raise ValueError(f"{where}{': ' if where else ''}{what}; found {dict(spec)!r}")
        ((name, params),) = spec.items()
        return name, dict(params or {})

    def _lookup(self, name: str, where: str) -> Any:
        if ".py:" in name:
            return self._from_file(name, where)
        if self._is_reference(name):
            return self._from_package(name, where)
        if name in self._registered:
            return _usable(self._registered[name], self.kind, name, where)
        if name in self._builtin:
            return _import_object(self._builtin[name])
        if name in self._installed():
            return self._load_installed(name, where)
        raise UnknownNameError(self.kind, name, self.names(), where=where)

    def module(self, name: str) -> str:
        """Return the module or the path of the file that defines ``name``, without importing it.

        Raises
        ------
        UnknownNameError
            If the name is unknown.
        """
        if ".py:" in name:
            return str(Path(name.rpartition(":")[0]).expanduser().resolve())
        if name in self._registered:
            module = str(getattr(self._registered[name], "__module__", ""))
            is_file = module.startswith(FILE_MODULE)
            return str(sys.modules[module].__file__) if is_file else module
        if name in self._builtin:
            return self._builtin[name].partition(":")[0]
        if name in self._installed():
            return self._installed()[name].module
        if self._is_reference(name):
            return name.partition(":")[0]
        raise UnknownNameError(self.kind, name, self.names())

    def origins(self, name: str) -> list[str]:
        """Return the modules whose code determines what ``name`` does.

        For a foreign class, this is the adapter alone; records hold the versions of packages.

        Raises
        ------
        UnknownNameError
            If the name is unknown.
        """
        module, adapter = self.module(name), self._adapter.partition(":")[0]
        if not adapter or module.startswith(adapter.rpartition(".")[0]):
            return [module]
        return [adapter] if self.is_foreign(name) else [module, adapter]

    def is_foreign(self, name: str) -> bool:
        """Return whether a name refers to a class that was not written for this package.

        Raises
        ------
        UnknownNameError
            If the name is unknown.
        """
        is_plugin = name in self._registered or ".py:" in name or name in self._installed()
        return not is_plugin and not self.module(name).startswith("boostbench.")

    def summary(self, name: str) -> str:
        """Return the first line of the docstring; built-in objects are not imported.

        Raises
        ------
        UnknownNameError, PluginError
            As by `get`.
        """
        if name in self._registered or name not in self._builtin:
            return (inspect.getdoc(self.get(name)) or "").partition("\n")[0]
        module, _, attribute = self._builtin[name].partition(":")
        if not module.startswith("boostbench."):
            return f"`{attribute}` of {module.partition('.')[0]}."
        file = Path(__file__).parents[1].joinpath(*module.split(".")).with_suffix(".py")
        pattern = rf'^(?:class {attribute}\b|def {attribute}\b|{attribute} = ).*?"""(.+?)(?:"""|\n)'
        match = re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        return match[1] if match else ""

    def options(self) -> Any:
        """Return the base class of the models of options."""
        return _import_object(self._options)

    def broken(self) -> dict[str, str]:
        """Return the installed plugins that cannot be loaded, with the reasons."""
        for name in self._installed():
            try:
                self._load_installed(name, "")
            except PluginError:
                continue
        return dict(self._broken)

    def __contains__(self, name: object) -> bool:
        if name in self._registered or name in self._builtin or name in self._installed():
            return True
        return isinstance(name, str) and self._is_reference(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def _installed(self) -> dict[str, EntryPoint]:
        if self._entry_points is None:
            from importlib.metadata import entry_points  # slow import

            self._entry_points = {point.name: point for point in entry_points(group=self.group)}
        return self._entry_points

    def _load_installed(self, name: str, where: str) -> Any:
        point = self._installed()[name]
        try:
            with contextlib.redirect_stdout(sys.stderr):
                return _usable(point.load(), self.kind, name, where)
        except ESCAPING as error:
            package = point.dist.name if point.dist is not None else point.module
            self._broken[name] = f"{package}: {type(error).__name__}: {error}"
            raise PluginError(
                f"{self.kind} {name!r} of the package {self._broken[name]}", where=where
            ) from error

    def _is_reference(self, name: str) -> bool:
        """Return whether a name has the form ``"package.module:Class"``."""
        return bool(self._adapter and re.fullmatch(r"[^\W\d][\w.]*:[^\W\d]\w*", name))

    def _from_package(self, reference: str, where: str) -> Any:
        module, _, attribute = reference.partition(":")
        with contextlib.redirect_stdout(sys.stderr):
            try:
                plugin = getattr(importlib.import_module(module), attribute, None)
            except ModuleNotFoundError:
                raise
            except ESCAPING as error:
                raise PluginError(
                    f"{module} cannot be imported: {one_line(error)}", where=where
                ) from error
        if not inspect.isclass(plugin) or not hasattr(plugin, "fit"):
            raise PluginError(
                f"{attribute!r} of {module} is not a class with a method 'fit'", where=where
            )
        return plugin

    def _from_file(self, reference: str, where: str) -> Any:
        path, _, attribute = reference.rpartition(":")
        module = load_plugin(Path(path), where=where)
        if not hasattr(module, attribute):
            public = [name for name in vars(module) if not name.startswith("_")]
            raise UnknownNameError(f"attribute of {path}", attribute, public, where=where)
        return _usable(getattr(module, attribute), self.kind, attribute, where)


def has_foreign_code() -> bool:
    """Return whether a plugin file or an installed plugin package is loaded in this process."""
    kinds = (boosters, weak_learners, noise_models, generators)
    points = (point for kind in kinds for point in kind._installed().values())
    return bool(executed_plugins()) or any(point.module in sys.modules for point in points)


def _usable(plugin: T, kind: str, name: str, where: str) -> T:
    if not callable(plugin):
        what = f"{kind} {name!r} must be a class or a function, found {type(plugin).__name__}"
        raise PluginError(what, where=where)
    return plugin


def _import_object(reference: str) -> Any:
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _origin(plugin: Any) -> tuple[str, str]:
    return (getattr(plugin, "__module__", ""), getattr(plugin, "__qualname__", repr(plugin)))


boosters = Registry(
    "booster",
    "boostbench.boosters",
    {
        "adaboost": "boostbench.boosters.adaboost:AdaBoost",
        "adaboost-cost": "boostbench.boosters.adaboost_mm:AdaBoostCost",
        "adaboost-m1": "boostbench.boosters.adaboost_m1:AdaBoostM1",
        "adaboost-mh": "boostbench.boosters.adaboost_mh:AdaBoostMH",
        "adaboost-mh-label": "boostbench.boosters.adaboost_mh:AdaBoostMHLabel",
        "adaboost-mh-real": "boostbench.boosters.adaboost_mh:AdaBoostMHReal",
        "adaboost-mm": "boostbench.boosters.adaboost_mm:AdaBoostMM",
        "adaboost-mr": "boostbench.boosters.aliases:AdaBoostMR",
        "adaboost-mr-l1": "boostbench.boosters.aliases:AdaBoostMRL1",
        "additive-logistic": "boostbench.boosters.aliases:AdditiveLogistic",
        "additive-logistic-l1": "boostbench.boosters.aliases:AdditiveLogisticL1",
        "brownboost": "boostbench.boosters.brownboost:BrownBoost",
        "cd-mcboost": "boostbench.boosters.cd_mcboost:CDMCBoost",
        "drifting-game": "boostbench.boosters.drifting_game:DriftingGame",
        "gd-mcboost": "boostbench.boosters.gd_mcboost:GDMCBoost",
        "gentleboost": "boostbench.boosters.gentleboost:GentleBoost",
        "l2boost": "boostbench.boosters.l2boost:L2Boost",
        "logitboost": "boostbench.boosters.logitboost:LogitBoost",
        "lpboost": "boostbench.boosters.lpboost:LPBoost",
        "martiboost": "boostbench.boosters.martiboost:MartiBoost",
        "mdeepboost": "boostbench.boosters.mdeepboost:MDeepBoost",
        "one-vs-all": "boostbench.boosters.one_vs_all:OneVsAll",
        "rboost1": "boostbench.boosters.rboost:RBoost1",
        "rboost2": "boostbench.boosters.rboost:RBoost2",
        "real-adaboost": "boostbench.boosters.real_adaboost:RealAdaBoost",
        "rmboost": "boostbench.boosters.rmboost:RMBoost",
        "robustboost": "boostbench.boosters.robustboost:RobustBoost",
        "samme": "boostbench.boosters.samme:SAMME",
        "savageboost": "boostbench.boosters.real_adaboost:SavageBoost",
        "sm-boost": "boostbench.boosters.sm_boost:SMBoost",
        "spl-l2boost": "boostbench.boosters.splboost:SPLL2Boost",
        "spl-logitboost": "boostbench.boosters.splboost:SPLLogitBoost",
        "splboost": "boostbench.boosters.splboost:SPLBoost",
        # baselines; runs of those that are not installed are skipped with a reason
        "calibrated": "boostbench.baselines.calibrated:Calibrated",
        "catboost": "catboost:CatBoostClassifier",
        "filter-and-refit": "boostbench.baselines.filter_and_refit:FilterAndRefit",
        "robust-gbdt": "boostbench.baselines.robust_gbdt:RobustGBDT",
        "robust-lightgbm": "boostbench.baselines.robust_lightgbm:RobustLightGBM",
        "tabicl": "tabicl:TabICLClassifier",
        "tabpfn": "tabpfn:TabPFNClassifier",
        "extra-trees": "sklearn.ensemble:ExtraTreesClassifier",
        "gradient-boosting": "sklearn.ensemble:GradientBoostingClassifier",
        "hist-gradient-boosting": "sklearn.ensemble:HistGradientBoostingClassifier",
        "lightgbm": "lightgbm:LGBMClassifier",
        "random-forest": "sklearn.ensemble:RandomForestClassifier",
        "xgboost": "xgboost:XGBClassifier",
    },
    adapter="boostbench.boosters.classifiers:as_booster",
)
weak_learners = Registry(
    "weak learner",
    "boostbench.weak_learners",
    {
        "c45": "boostbench.weak_learners.c45:C45",
        "greedy": "boostbench.weak_learners.presets:Greedy",
        "greedy-info": "boostbench.weak_learners.presets:GreedyInfo",
        "multilabel-stump": "boostbench.weak_learners.multilabel:MultiLabelStump",
        "regression-tree": "boostbench.weak_learners.presets:RegressionTree",
        "stump": "boostbench.weak_learners.presets:Stump",
        "tree": "boostbench.weak_learners.tree:Tree",
    },
    adapter="boostbench.weak_learners.estimator:as_weak_learner",
)
#: Parameters of boosters of this package that are components, with their registries.
INNER = {"weak_learner": weak_learners, "booster": boosters, "classifier": boosters}
noise_models = Registry(
    "noise model",
    "boostbench.noise_models",
    {
        name: f"boostbench.{module}:{name.replace('-', '_')}"
        for module, names in {
            "noise": "exchange flip instance matrix one-sided pair permute uniform-other",
            "rated_noise": "margin rater",
        }.items()
        for name in names.split()
    },
)
_GENERATORS = ("gaussian-mixture", "long-servedio", "madelon", "ring-norm", "two-norm", "waveform")
generators = Registry(
    "data-set generator",
    "boostbench.generators",
    {name: f"boostbench.data.generators:{name.replace('-', '_')}" for name in _GENERATORS},
)
figures = Registry(
    "figure",
    "boostbench.figures",
    {
        "critical-difference": "boostbench.reports.figures.rank_figures:draw_critical_difference",
        "curves": "boostbench.reports.figures.error_curves:draw_curves",
        "distribution": "boostbench.reports.figures.repeats:draw_distribution",
        "noise": "boostbench.reports.figures.levels:draw_noise_levels",
        "pairs": "boostbench.reports.figures.rank_figures:draw_pairs",
        "parameter": "boostbench.reports.figures.levels:draw_parameter",
        "ranks": "boostbench.reports.figures.rank_figures:draw_ranks",
    },
    options="boostbench.reports.values.part_options:PartOptions",
)
tables = Registry(
    "table",
    "boostbench.tables",
    {
        "datasets": "boostbench.reports.tables.data_sets:build_data_table",
        "selected": "boostbench.reports.tables.selected:build_selected_table",
        "table": "boostbench.reports.tables.error_table:build_table",
    },
    options="boostbench.reports.values.part_options:PartOptions",
)
claims = Registry(
    "kind of claim",
    "boostbench.claims",
    {
        "agrees": "boostbench.reports.claims.comparing:Agrees",
        "compares": "boostbench.reports.claims.comparing:Compares",
        "matches_paper": "boostbench.reports.claims.matching:MatchesPaper",
        "ordered": "boostbench.reports.claims.comparing:Ordered",
        "ranks_within": "boostbench.reports.claims.matching:RanksWithin",
        "share": "boostbench.reports.claims.comparing:ShareOfRuns",
        "stops": "boostbench.reports.claims.following:Stops",
        "trend": "boostbench.reports.claims.following:Trend",
    },
    options="boostbench.reports.claims.kind:Kind",
)
