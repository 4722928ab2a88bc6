"""Registries of boosters, weak learners, noise models, generators, quantities and report parts.

A name is looked up among the objects registered by decorators (as those of ``--plugin FILE``), then
among the built-in objects. A name with a colon says where the object is: ``FILE.py:NAME``, or
``package.module:NAME`` for installed packages. Boosters and weak learners of this package are
registered by the same decorators, whose arguments are read from the sources. Listing names imports
nothing; an object is imported on request.

Examples
--------
>>> from boostbench.registry import boosters
>>> "sm-boost" in boosters
True
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar

from boostbench.errors import AbsentError, BoostbenchError, PluginError, UnknownNameError
from boostbench.inputs import FILE_MODULE, load_module, one_line
from boostbench.source import show

T = TypeVar("T")


@dataclass(frozen=True)
class Declaration:
    """Declaration of a component where it is registered, and where it is.

    Attributes
    ----------
    origin : str
        ``"module:attribute"``.
    plugin : object or None
        The component; None for built-in ones, which are imported on use.
    printed : str
        Name in print, as in the paper: ``"AdaBoost.MH"``. Empty: the registered name.
    family : str
        Section of ``docs/boosters.md``.
    trial : mapping of str to object
        Parameters with which the tests of all components try this one.
    variants : mapping of str to (str, str)
        Labels that configs give to variants of the component: the name in print, and parameters.
    """

    origin: str = ""
    plugin: Any = None
    printed: str = ""
    family: str = ""
    trial: Mapping[str, Any] = field(default_factory=dict)
    variants: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(eq=False)
class Registry:
    """The names of one kind of plugin.

    Parameters
    ----------
    kind : str
        Singular name of the kind in messages: ``"booster"``.
    builtin : mapping of str to str
        Name to ``"module:attribute"``.
    packages : str, default=""
        Folders of boostbench whose modules register further built-in components, by the decorators
        of plugins: ``@boosters.register(...)``. Names and declarations are read from their sources.
    base : str, default=""
        ``"module:Class"`` of the base class of the models of options, if plugins have options.
    adapter : str, default=""
        ``"module:function"`` that turns classes of other packages into plugins.
    """

    kind: str
    builtin: Mapping[str, str]
    packages: str = ""
    base: str = ""
    adapter: str = ""

    def register(self, name: str, **declared: Any) -> Callable[[T], T]:
        """Return a decorator that registers an object under ``name``.

        Parameters
        ----------
        name : str
        **declared
            Other attributes of `Declaration`.

        Raises
        ------
        PluginError
            If the name is taken by another object.
        """

        def add(plugin: T) -> T:
            attribute = getattr(plugin, "__qualname__", repr(plugin))
            origin = f"{getattr(plugin, '__module__', '')}:{attribute}"
            known = self.declarations.get(name)
            if known and known.origin != origin and _file_of(known.plugin) != _file_of(plugin):
                raise PluginError(f"a {self.kind} {name!r} exists already; choose another name")
            if not known or known.plugin is not None:
                self.declarations[name] = Declaration(origin, plugin, **declared)
            return plugin

        return add

    def printed_names(self) -> dict[str, str]:
        """Return the name in print of each component, and of labels of its variants, if any."""
        printed = {name: each.printed for name, each in self.declarations.items() if each.printed}
        variants = [pair for each in self.declarations.values() for pair in each.variants.items()]
        return printed | {label: shown for label, (shown, _) in variants}

    def typed(self) -> dict[str, str]:
        """Return what to type for each name in print."""
        known = self.declarations.items()
        typed = {each.printed: repr(name) for name, each in known if each.printed}
        for name, each in known:
            for printed, given in each.variants.values():
                typed[printed] = repr(name) + (f" with {given}" if given else "")
        return typed

    @cached_property
    def declarations(self) -> dict[str, Declaration]:
        """Declarations by name: of listed components, those in `packages`, and registered ones."""
        pattern = r"^@\w+\.register(\(.*?\))\n(?:class|def) (\w+)"
        found = {name: Declaration(origin) for name, origin in self.builtin.items()}
        for package in self.packages.split():
            for file in sorted(Path(__file__).parent.joinpath(package).glob("*.py")):
                text = file.read_text(encoding="utf-8")
                for call, attribute in re.findall(pattern, text, re.MULTILINE | re.DOTALL):
                    name, declared = _declared_in(call)
                    origin = f"boostbench.{package.replace('/', '.')}.{file.stem}:{attribute}"
                    found[name] = Declaration(origin, **declared)
        return found

    def names(self) -> list[str]:
        """Return all names in alphabetical order, without imports."""
        return sorted(self.declarations)

    def get(self, name: str, *, where: str = "") -> Any:
        """Return the object of a name, of ``"FILE.py:NAME"`` or of ``"package.module:NAME"``.

        Raises
        ------
        UnknownNameError
            If the name is unknown; the message suggests a similar one.
        PluginError
            If the plugin cannot be loaded; the message gives the reason. `AbsentError` if a
            required package is not installed.
        """
        try:
            plugin = self._lookup(str(name), where)
            if not callable(plugin) or (self.adapter and not hasattr(plugin, "fit")):
                needed = "class with a method 'fit'" if self.adapter else "class or a function"
                part = f"{self.kind} {name.rpartition(':')[2]!r}"
                what = f"{part} must be a {needed}, found {type(plugin).__name__}"
                raise PluginError(what, where=where)
            return resolve_name(self.adapter)(plugin) if self.adapter else plugin
        except ModuleNotFoundError as error:
            raise AbsentError(f"{self.kind} {name!r}", error, where=where) from error
        except OSError as error:  # a library that its package needs is absent
            what = f"{self.kind} {name!r} cannot be loaded: {one_line(error)}"
            raise PluginError(what, where=where) from error

    def named(self, spec: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return name and parameters of ``name`` or ``{name: parameters}``."""
        return name_and_options(spec, self.kind, "")

    def _lookup(self, name: str, where: str) -> Any:
        if known := self.declarations.get(name):
            return resolve_name(known.origin) if known.plugin is None else known.plugin
        if not _is_reference(name):
            raise self.unknown(name, where)
        source, _, attribute = name.rpartition(":")
        module = load_module(source, where=where)
        if not hasattr(module, attribute):
            public = [known for known in vars(module) if not known.startswith("_")]
            raise UnknownNameError(f"attribute of {source}", attribute, public, where=where)
        return getattr(module, attribute)

    def module(self, name: str) -> str:
        """Return the module or the path of the file that defines ``name``, without importing it.

        Raises
        ------
        UnknownNameError
            If the name is unknown.
        """
        known = self.declarations.get(name)
        if known is None and not _is_reference(name):
            raise self.unknown(name)
        module = known.origin.partition(":")[0] if known else name.rpartition(":")[0]
        if module.endswith(".py"):
            return str(Path(module).expanduser().resolve())
        return str(sys.modules[module].__file__) if module.startswith(FILE_MODULE) else module

    def name_of(self, component: Any) -> str:
        """Return the registered name of a class, or ``"package.module:Class"``."""
        module, attribute = component.__module__, component.__qualname__
        package = module.partition(".")[0]
        builtin = re.compile(rf"{package}[.\w]*:{attribute}")
        for name, known in self.declarations.items():
            is_builtin = known.plugin is None and builtin.fullmatch(known.origin)
            if is_builtin or known.plugin is component:
                return name
        return f"{module}:{attribute}"

    def origins(self, name: str) -> list[str]:
        """Return the modules whose code determines what ``name`` does.

        For a foreign class, this is the adapter alone; records hold the versions of packages.

        Raises
        ------
        UnknownNameError
            If the name is unknown.
        """
        module, adapter = self.module(name), self.adapter.partition(":")[0]
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
        known = self.declarations.get(name)
        is_plugin = ".py:" in name or (known is not None and known.plugin is not None)
        return not is_plugin and not self.module(name).startswith("boostbench.")

    def unknown(self, name: str, where: str = "") -> UnknownNameError:
        """Return the error about an unknown name."""
        return UnknownNameError(self.kind, name, self.names(), where=where, typed=self.typed())

    def summary(self, name: str) -> str:
        """Return the first line of the docstring; built-in objects are not imported.

        Raises
        ------
        UnknownNameError, PluginError
            As by `get`.
        """
        known = self.declarations.get(name)
        if known is None or known.plugin is not None:
            return (inspect.getdoc(self.get(name)) or "").partition("\n")[0]
        module, _, attribute = known.origin.partition(":")
        if not module.startswith("boostbench."):
            return f"`{attribute}` of {module.partition('.')[0]}."
        file = Path(__file__).parents[1].joinpath(*module.split(".")).with_suffix(".py")
        pattern = rf'^(?:class|def) {attribute}\b.*?"""(.+?)(?:"""|\n)'
        match = re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        return match[1] if match else ""

    def __contains__(self, name: object) -> bool:
        return name in self.declarations or (isinstance(name, str) and _is_reference(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())


def _file_of(component: Any) -> str:
    """Return the file of the module of a component, by which it may be imported and loaded."""
    module = sys.modules.get(getattr(component, "__module__", ""))
    return os.path.realpath(getattr(module, "__file__", None) or repr(component))


def without_folder(name: str) -> str:
    """Return a registered name, or the file name and attribute of a plugin without its folder."""
    return Path(name).name if ".py:" in name else name


def _is_reference(name: str) -> bool:
    """Return whether a name has the form ``"FILE.py:NAME"`` or ``"package.module:NAME"``."""
    return re.fullmatch(r".+\.py:.*|[^\W\d][\w.]*:[^\W\d]\w*", name) is not None


def _declared_in(call: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the other arguments in the text of the arguments of ``register``."""
    node = ast.parse(f"register{call}", mode="eval").body
    assert isinstance(node, ast.Call)
    declared = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
    return ast.literal_eval(node.args[0]), declared


def name_and_options(value: Any, kind: str, where: str = "") -> tuple[str, dict[str, Any]]:
    """Return name and options of an entry written as a name or ``{name: {option: value}}``.

    Raises
    ------
    BoostbenchError
        If the entry has another form; the message calls it a ``kind``.
    """
    if isinstance(value, str) and value:
        value = {value: None}
    if isinstance(value, Mapping) and len(value) == 1:
        name, options = next(iter(value.items()))
        if isinstance(options, Mapping | None):
            return name, dict(options or {})
        what = f"the options of {name!r} must be a mapping, found {show(options)}"
        raise BoostbenchError(what, where=where)
    if isinstance(value, Mapping) and value and next(iter(value.values())) is None:
        name, *rest = value
        below = f"indent {', '.join(rest)} below {name!r}"
        raise BoostbenchError(f"{below}: a {kind} is a name or {{name: {{...}}}}", where=where)
    what = f"a {kind} is a name or {{name: {{...}}}}, found {show(value)}"
    raise BoostbenchError(what, where=where)


boosters = Registry(
    "booster",
    {  # of other packages; runs of those that are not installed are skipped with a reason
        "catboost": "catboost:CatBoostClassifier",
        "tabicl": "tabicl:TabICLClassifier",
        "tabpfn": "tabpfn:TabPFNClassifier",
        "extra-trees": "sklearn.ensemble:ExtraTreesClassifier",
        "gradient-boosting": "sklearn.ensemble:GradientBoostingClassifier",
        "hist-gradient-boosting": "sklearn.ensemble:HistGradientBoostingClassifier",
        "lightgbm": "lightgbm:LGBMClassifier",
        "random-forest": "sklearn.ensemble:RandomForestClassifier",
        "xgboost": "xgboost:XGBClassifier",
    },
    packages="boosters baselines",
    adapter="boostbench.boosters.classifiers:as_booster",
)
weak_learners = Registry(
    "weak learner",
    {},
    packages="weak_learners",
    adapter="boostbench.weak_learners.estimator:as_weak_learner",
)
#: Parameters of boosters of this package that are components, with their registries.
INNER = {"weak_learner": weak_learners, "booster": boosters, "classifier": boosters}


def _in(module: str, names: str) -> dict[str, str]:
    """Return the built-in components of a module of this package."""
    return {name: f"boostbench.{module}:{name.replace('-', '_')}" for name in names.split()}


noise_models = Registry(
    "noise model",
    _in("noise", "exchange flip matrix one-sided pair permute uniform-other")
    | _in("rated_noise", "rater"),
)
generators = Registry(
    "data-set generator",
    _in("data.generators", "gaussian-mixture long-servedio madelon ring-norm two-norm waveform"),
)
_METRICS = ("balanced_accuracy", "f1", "log_loss", "brier", "auc", "calibration_error")
#: In the order in which tables and exports list them.
quantities = Registry(
    "quantity",
    _in("quantities.errors", "train_error train_error_clean test_error validation_error")
    | _in("quantities.errors", "train_cost test_cost right")
    | _in("quantities.bounds", "bound edge_bound")
    | _in("quantities.edges", "edge loss")
    | _in("quantities.weights", "noisy_weight_share noisy_among_heaviest weightless_share")
    | _in("quantities.weights", "noisy_among_weightless sample_weights")
    | _in("quantities.scores", "margins scores labels")
    | _in("quantities.confusion", "confusion")
    | {f"test_{metric}": f"boostbench.quantities.{metric}:{metric}" for metric in _METRICS}
    | _in("quantities.clocks", "load_time warm_up_time fit_time predict_time")
    | _in("quantities.model_size", "model_size"),
)
_PART_OPTIONS = "boostbench.reports.values.part_options:PartOptions"
figures = Registry("figure", {}, "reports/figures", _PART_OPTIONS)
tables = Registry("table", {}, "reports/tables", _PART_OPTIONS)
claims = Registry("kind of claim", {}, "reports/claims", "boostbench.reports.claims.kind:Kind")
