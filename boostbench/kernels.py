"""`python -m boostbench.kernels`: add the LLVM code of the kernels of boosters to the package.

The first fit on another machine then only optimises and translates the code for its processor, in a
quarter of the time of compilation and with the same result. The code suits all processors of an
architecture, but only the versions of Python, numba and llvmlite that made it, and the sources of
the kernels. With other ones, kernels are compiled from the sources.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from boostbench.errors import BoostbenchError


def main() -> None:
    """Fit all boosters without a cache of kernels, and keep the code of the kernels."""
    parser = argparse.ArgumentParser(prog="python -m boostbench.kernels", description=__doc__)
    parser.add_argument("boosters", nargs="*", help="names of boosters (default: all)")
    parser.add_argument("--out", type=Path, help="folder (default: in the package)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NUMBA_CACHE_DIR"] = cache  # read when numba is imported
        try:
            _write(arguments.boosters, arguments.out)
        except (BoostbenchError, OSError) as problem:
            parser.error(str(problem))


def _write(names: list[str], out: Path | None) -> None:
    import numpy as np
    from sklearn.datasets import load_digits

    from boostbench import compiled
    from boostbench.boosters import list_boosters, make_booster

    folder = out or compiled.SHIPPED
    folder.mkdir(parents=True, exist_ok=True)
    kernels = compiled.collect()
    for name in names or list_boosters():
        booster = make_booster(name, n_estimators=2, random_state=0, n_jobs=2)
        n_classes = 10 if booster.__sklearn_tags__().classifier_tags.multi_class else 2
        X, y = load_digits(n_class=n_classes, return_X_y=True)
        X[:, 0] = np.random.default_rng(0).random(len(X))  # a feature of many values, too
        list(booster.fit(X, y).staged_predict(X))
    for name, content in kernels.items():
        (folder / name).write_bytes(content)
    size = sum(map(len, kernels.values()))
    print(f"{folder}: {len(kernels)} kernels, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
