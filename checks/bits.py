"""`python -m checks.bits [--quick] [--write FILE | --compare FILE | --emulate]`: compare results.

The check carries out a fixed list of runs with all boosters and weak learners, and computes the
figures of the theory. It stores all results to the last bit: curves, scores after every round,
probabilities and figures. The results before and after a change, or on two machines, must be equal.
``--emulate`` repeats the list as on other processors: with other kernels of OpenBLAS, with narrower
vector instructions in numpy, the C library and numba, and with two threads.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from boostbench import list_boosters, registry
from boostbench.boosters.surface import BoostingClassifier
from boostbench.errors import BoostbenchError
from boostbench.experiments.running.environment import THREAD_VARIABLES
from boostbench.experiments.running.execution import make, prepare
from boostbench.experiments.running.measuring import Recorder, measure, record_round, record_test
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Noise, Params, Run
from boostbench.inputs import load_plugin
from boostbench.quantities import QUANTITIES
from boostbench.resources import shipped
from boostbench.theory import gaussians
from boostbench.theory.bounds import potential_bound

Values = dict[str, list[Any]]
_DIGEST = "digest"

ROUNDS, QUICK_ROUNDS, FEW_ROUNDS = 300, 40, 15

#: Data sets of two or more classes.
DATA = {
    "wdbc": Data("breast-cancer"),
    "ringnorm": Data("ring-norm", Params({"n_train": 300, "n_test": 300, "n_features": 8})),
    "gaussians": Data("gaussians-mcboost"),
    "waveform": Data("waveform", Params({"n_train": 300, "n_test": 300})),
    "madelon": Data(
        "madelon",
        Params({"n_train": 300, "n_test": 300, "n_classes": 5, "n_informative": 6}),
    ),
    "wine": Data("wine"),
}
NOISE = [
    CLEAN,
    *(Noise(model, 0.2) for model in ("exchange", "flip", "rater", "pair", "permute")),
    Noise("uniform-other", 0.2),
]
_SPLIT = Params({"official": True, "otherwise": {"holdout": 0.3, "stratify": True}})


def runs(quick: bool) -> Iterator[tuple[str, Run]]:
    """Yield names and runs: long runs of every booster, then short runs of every option."""
    noisy = NOISE[1]
    rounds = QUICK_ROUNDS if quick else ROUNDS
    for name in list_boosters():
        for data in ("wdbc", "madelon") if quick else DATA:
            yield _run(name, {}, data, noisy, rounds)
    for name in list_boosters():
        for number, options in enumerate(_options(name)):
            yield _run(name, options, "ringnorm", noisy, FEW_ROUNDS)
            yield _run(name, options, "waveform", NOISE[number % len(NOISE)], FEW_ROUNDS)
    for name in list_boosters():
        for learner in registry.weak_learners.names():
            yield _run(name, {"weak_learner": learner}, "gaussians", CLEAN, FEW_ROUNDS)
            yield _run(name, {"weak_learner": learner}, "ringnorm", CLEAN, FEW_ROUNDS)
    for noise in NOISE:
        for data in DATA:
            yield _run("samme", {}, data, noise, FEW_ROUNDS)


def _options(name: str) -> Iterator[dict[str, Any]]:
    """Yield the parameters that a booster declares for trials, and up to two other choices."""
    declared = registry.boosters.declarations[name].trial
    trial = {key: value for key, value in declared.items() if key != "random_state"}  # the run's
    if trial:
        yield trial
    cls = registry.boosters.get(name)
    own = cls._parameter_constraints.keys() - BoostingClassifier._parameter_constraints.keys()
    choices: list[tuple[str, Any]] = []
    for key in sorted(own):
        for constraint in cls._parameter_constraints[key]:
            is_flag = constraint == "boolean"
            values = (False, True) if is_flag else sorted(getattr(constraint, "options", ()))
            choices += [(key, value) for value in values if value != getattr(cls, key)]
    for one, other in combinations_with_replacement(choices, 2):
        if one is other or one[0] != other[0]:
            yield trial | dict([one, other])


def _run(name: str, options: dict[str, Any], data: str, noise: Noise, rounds: int) -> Any:
    arguments = ",".join(f"{key}={_text(value)}" for key, value in options.items())
    label = f"{name}({arguments})/{data}/{noise.label.replace(' ', '-')}/{rounds}"
    booster = BoosterSpec(name, Params(options), source=name)
    return label, Run(DATA[data], _SPLIT, noise, booster, rounds, seed=0)


def _text(value: Any) -> str:
    return value if isinstance(value, str | int | float) else next(iter(value))


def trained(run: Run) -> Values:
    """Carry out a run; return the numbers of its record, and the scores."""
    problem = prepare(run)
    booster = make(run, problem.X, problem.n_classes, run.rounds)
    recorder = Recorder(QUANTITIES.recorded((), ["bound"]), ())
    booster.fit(problem.X, problem.y, on_round=partial(record_round, recorder, problem))
    staged = [F.copy() for F in booster.staged_scores(problem.X_test)]
    for t, labels in enumerate(booster.staged_predict(problem.X_test), start=1):
        record_test(recorder, problem, t, labels)
    recorder.finish()
    values = dict(recorder.curves)
    values |= _numbers(X=problem.X, X_test=problem.X_test, y=problem.y, scores=staged[-1:])
    values[f"staged {_DIGEST}"] = _digest(b"".join(F.tobytes() for F in staged))
    if _has_probabilities(booster, problem.X_test[:1]):
        risk = Recorder(QUANTITIES.recorded(["brier"], ()), ())
        measure(risk, booster, problem)
        values |= risk.curves
        values |= _numbers(log_p=booster.predict_log_proba(problem.X_test))
    return values


def _has_probabilities(booster: Any, X: Any) -> bool:
    try:
        booster.predict_proba(X)
    except (AttributeError, ValueError):
        return False
    return True


def _numbers(**arrays: Any) -> Values:
    """Return about a hundred numbers of each array, and a digest of all numbers."""
    values: Values = {}
    for name, array in arrays.items():
        flat = np.ascontiguousarray(array, dtype=np.float64).ravel()
        values[name] = flat[:: max(1, len(flat) // 100)].tolist()
        values[f"{name} {_DIGEST}"] = _digest(flat.tobytes())
    return values


def _digest(content: bytes) -> list[float]:
    return [int(hashlib.sha256(content).hexdigest()[:12], 16)]


def computed() -> Iterator[tuple[str, Callable[[], Values]]]:
    """Yield names and functions of the computations without training."""
    means, spreads = [[1.0, 2.0], [-1.0, 0.0]], [[[1.0, 0.5], [0.5, 2.0]], [[1.0, 0.3], [0.3, 1.0]]]
    points = np.linspace(-4.0, 4.0, 100).reshape(50, 2)
    for condition in ("uniform", "minimal"):
        bounds = [potential_bound(6, 0.0, T, condition=condition) for T in range(11)]
        bounds += [potential_bound(K, 0.1, 10, condition=condition) for K in range(2, 11)]
        yield f"bounds, {condition}", partial(_numbers, bounds=bounds)
    pixel_map = load_plugin(shipped("configs") / "multiclass-theory/pixels.py").pixel_map
    for T, gamma in ((10, 0.0), (30, 0.0), (30, 0.4)):
        yield f"degrees, T = {T}, gamma = {gamma}", partial(_fields, pixel_map(T, gamma))
    for eta in (0.1, 0.5):
        pixels = pixel_map(10, 0.1, eta)
        yield f"degrees, eta = {eta}", partial(_fields, pixels)
    yield "densities", lambda: _numbers(log_p=gaussians.log_densities(points, means, spreads))


def _fields(*parts: Any) -> Values:
    """Return the numbers in the attributes of objects."""
    return _numbers(
        **{
            f"{name} {number}": value
            for number, part in enumerate(parts)
            for name, value in vars(part).items()
            if isinstance(value, np.ndarray | float)
        }
    )


def do_all(quick: bool) -> Iterator[tuple[str, Values]]:
    """Yield names and results of all computations, and of all runs that are not rejected."""
    for name, compute in computed():
        yield name, compute()
    for name, run in runs(quick):
        with suppress(BoostbenchError, ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield name, trained(run)


def line(name: str, values: Values) -> str:
    """Return results as a line of JSON: name, digest and numbers."""
    text = json.dumps(values)
    return json.dumps([name, hashlib.sha256(text.encode()).hexdigest()[:16], values])


def read(text: str) -> dict[str, tuple[str, Values]]:
    """Return digest and numbers of all results by name."""
    return {name: (digest, values) for name, digest, values in map(json.loads, text.splitlines())}


def compare(
    ours: dict[str, tuple[str, Values]], others: dict[str, tuple[str, Values]], where: str
) -> int:
    """Print the differences between two lists of results; return the number of differing runs."""
    differing = [name for name in ours if name not in others or ours[name][0] != others[name][0]]
    differing += [name for name in others if name not in ours]
    for name in differing:
        if name in ours and name in others:
            print(f"{where}: {name}: {differences(ours[name][1], others[name][1])}")
        else:
            print(f"{where}: {name}: is in one list only")
    print(f"{where}: {len(differing)} of {len(ours)} runs differ", flush=True)
    return len(differing)


def differences(ours: Values, others: Values) -> str:
    """Describe the differences of two runs, relative to the largest number of each quantity."""
    parts = []
    for key in sorted({*ours, *others}):
        a, b = (np.array(values.get(key, []), dtype=np.float64) for values in (ours, others))
        if a.tobytes() == b.tobytes():
            continue
        if a.shape != b.shape:
            parts.append(f"{key}: {len(b)} numbers for {len(a)}")
        elif key.endswith(_DIGEST):
            parts.append(key.removesuffix(f" {_DIGEST}"))
        else:
            both = np.isfinite(a) & np.isfinite(b)
            off = np.abs(a - b)[both].max(initial=0.0)
            size = np.abs(a[both]).max(initial=0.0) if not key.endswith("_errors") else 1.0
            parts.append(f"{key} by {off / (size or 1.0):.1g}")
    return ", ".join(parts)


def machines(quick: bool) -> dict[str, dict[str, str]]:
    """Return environments that emulate other processors, by name; for `quick`, only two of them."""
    kernels = {
        core: {"OPENBLAS_CORETYPE": core}
        for core in ("Nehalem", "SandyBridge", "Haswell", "Zen", "SkylakeX")
    }
    narrow = _numpy_without(())
    wide = _numpy_without(("X86_V3", "AVX2", "FMA3"))
    no_fma = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA4,-AVX512F"}
    generic = {"NUMBA_CPU_NAME": "generic"}
    two = dict.fromkeys(THREAD_VARIABLES, "2")
    if quick:
        return {
            "old": kernels["Nehalem"] | narrow | no_fma | two,
            "AVX2": kernels["Haswell"] | wide,
        }
    environments = {
        **kernels,
        "numpy without AVX512": wide,
        "numpy without AVX2": narrow,
        "C library without AVX2 and FMA": no_fma,
        "numba for any x86-64": generic,
        "two threads": two,
        "all at once": kernels["Nehalem"] | narrow | no_fma | generic | two,
    }
    return {name: environment for name, environment in environments.items() if environment}


def _numpy_without(kept: tuple[str, ...]) -> dict[str, str]:
    """Return the variable that disables all vector features of numpy here except ``kept``."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    here = [name for name in __cpu_dispatch__ if __cpu_features__.get(name) and name not in kept]
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(here)} if here else {}


def emulate(quick: bool) -> int:
    """Carry out the list here and on emulated machines; return the number of differing runs."""
    plain = dict.fromkeys(THREAD_VARIABLES, "1")
    settings = {"here": plain}
    settings |= {name: plain | changes for name, changes in machines(quick).items()}
    with tempfile.TemporaryDirectory(prefix="bits-") as folder:
        files = {name: Path(folder) / f"{number}" for number, name in enumerate(settings)}

        def written(name: str) -> dict[str, tuple[str, Values]]:
            command = [sys.executable, "-m", "checks.bits", "--write", str(files[name])]
            command += ["--quick"] * quick
            environment = {key: value for key, value in os.environ.items() if key not in _SET}
            environment |= settings[name]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"{name}: {done.stderr}")
            return read(files[name].read_text())

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = dict(zip(settings, pool.map(written, settings), strict=True))
        here = results.pop("here")
        return sum(compare(here, others, name) for name, others in results.items())


#: Variables that emulation sets, and that are removed from the environment first.
_SET = {"OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "GLIBC_TUNABLES", "NUMBA_CPU_NAME"}


def main() -> int:
    """Write or compare results; return 1 if any run differs."""
    parser = argparse.ArgumentParser(prog="python -m checks.bits", description=__doc__)
    quick = f"{QUICK_ROUNDS} rounds, fewer data; with --emulate, on two machines"
    parser.add_argument("--quick", action="store_true", help=quick)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", type=Path, metavar="FILE", help="write the results to a file")
    action.add_argument("--compare", type=Path, metavar="FILE", help="compare with a file")
    action.add_argument("--emulate", action="store_true", help="compare with emulated processors")
    options = parser.parse_args()
    start = time.monotonic()
    if options.emulate:
        n_differing = emulate(options.quick)
    elif options.write:
        text = "".join(line(name, values) + "\n" for name, values in do_all(options.quick))
        options.write.write_text(text)
        n_differing = 0
        print(f"{len(text.splitlines())} runs", end=" ")
    else:
        others = read(options.compare.read_text())
        ours = read("\n".join(line(name, values) for name, values in do_all(options.quick)))
        n_differing = compare(ours, others, str(options.compare))
    print(f"in {time.monotonic() - start:.0f} s")
    return int(n_differing > 0)


if __name__ == "__main__":
    sys.exit(main())
