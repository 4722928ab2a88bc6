"""Kernels from the file cache are those of the sources, whoever compiles at the same time."""

import gc
import importlib
import os
import pkgutil
import subprocess
import sys
import textwrap
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from numba.core.registry import CPUDispatcher as Dispatcher

import boostbench
from boostbench.compiled import _digest
from boostbench.weak_learners.growing import _KERNELS


def module(folder, text: str) -> None:
    (folder / "own.py").write_text(textwrap.dedent(text))


def run_python(folder, code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{os.getcwd()}:{folder}", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


OWN = """
    from boostbench.compiled import inner, kernel

    @kernel
    def answer(x):
        return below(x) + SHIFT

    @inner
    def below(x):
        return 2 * x

    SHIFT = 1
"""


def test_a_kernel_is_compiled_anew_when_what_it_calls_or_reads_has_changed(tmp_path) -> None:
    code = "import own; print(own.answer(3), sum(own.answer.stats.cache_hits.values()))"
    module(tmp_path, OWN)
    assert [run_python(tmp_path, code) for _ in range(2)] == ["7 0", "7 1"]
    module(tmp_path, OWN.replace("2 * x", "5 * x"))
    assert run_python(tmp_path, code) == "16 0"
    module(tmp_path, OWN.replace("SHIFT = 1", "SHIFT = 2"))
    assert run_python(tmp_path, code) == "8 0"
    module(tmp_path, OWN)
    assert run_python(tmp_path, code) == "7 1"


def test_a_process_that_compiles_sources_of_the_past_leaves_nothing_for_the_new_ones(
    tmp_path,
) -> None:
    module(tmp_path, OWN)
    late = """
        import own
        text = open("own.py").read()
        open("own.py", "w").write(text.replace("2 * x", "5 * x"))
        print(own.answer(3))
    """
    assert run_python(tmp_path, late) == "7"
    assert run_python(tmp_path, "import own; print(own.answer(3))") == "16"


def test_processes_that_compile_at_a_time_do_not_mix_up_their_kernels(tmp_path) -> None:
    module(
        tmp_path,
        """
        from boostbench.compiled import kernel

        def kernel_for(k):
            @kernel
            def answer(x):
                return x + k
            return answer

        kernels = [kernel_for(k) for k in range(6)]
        """,
    )
    first = "import own, sys; print([own.kernels[k](1) for k in map(int, sys.argv[1])])"
    orders = ["012345", "543210", "240135", "135024"]
    with ThreadPoolExecutor(len(orders)) as threads:
        ways = [first.replace("sys.argv[1]", f"'{order}'") for order in orders]
        found = list(threads.map(lambda code: run_python(tmp_path, code), ways))
    assert found == [str([1 + int(k) for k in order]) for order in orders]
    counted = f"{first}; print(sum(len(k.stats.cache_hits) for k in own.kernels))"
    again = run_python(tmp_path, counted.replace("sys.argv[1]", "'012345'"))
    assert again == "[1, 2, 3, 4, 5, 6]\n6"


TWINS = """
    import numpy as np
    from boostbench.compiled import inner, kernel

    @inner
    def twice(x):
        return 2.0 * x

    @inner
    def halved(x):
        return 0.5 * x

    def sum_of(f):
        @inner
        def total(x):  # too long to become part of its callers
            s = 0.0
BODY
            return s
        return total

    by_two, by_half = sum_of(twice), sum_of(halved)

    @kernel
    def doubles(x):
        return by_two(x) + by_two(x[1:]) + by_two(x[2:])

    @kernel
    def halves(x):
        return by_half(x) + by_half(x[1:]) + by_half(x[2:])

    x = np.arange(5.0)
"""


def test_functions_made_by_one_function_are_told_apart_in_kernels_of_two_processes(
    tmp_path,
) -> None:
    loops = "for i in range(x.shape[0]): s += f(x[i] + {0}) * x[(i + {0}) % x.shape[0]]"
    body = "\n".join(" " * 12 + loops.format(j) for j in range(12))
    module(tmp_path, TWINS.replace("BODY", body))
    # each is the first that its process compiles, so numba gives both the same number
    for name, expected in (("doubles", "5576.0"), ("halves", "1394.0")):
        assert run_python(tmp_path, f"import own; print(own.{name}(own.x))") == expected
    both = "import own; print(own.doubles(own.x), own.halves(own.x))"
    assert run_python(tmp_path, both) == "5576.0 1394.0"


def test_no_two_compiled_functions_have_the_same_name() -> None:
    for found in pkgutil.walk_packages(boostbench.__path__, "boostbench."):
        if "__main__" not in found.name:
            importlib.import_module(found.name)
    dispatchers = [x for x in gc.get_objects() if isinstance(x, Dispatcher)]
    ours = {x.py_func for x in dispatchers if x.py_func.__module__.startswith("boostbench.")}
    names = Counter((function.__module__, function.__qualname__) for function in ours)
    assert len(names) > 100
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_name_of_a_kernel_is_the_same_in_every_process(seed, tmp_path) -> None:
    code = """
        from boostbench.compiled import _digest
        from boostbench.weak_learners.growing import _KERNELS
        print([_digest(kernel.py_func) for kernel in _KERNELS.values()])
    """
    here = [_digest(grow.py_func) for grow in _KERNELS.values()]
    assert len(set(here)) == len(here)
    assert run_python(tmp_path, code, PYTHONHASHSEED=seed) == str(here)


def test_a_kernel_works_where_no_file_can_be_kept(tmp_path) -> None:
    module(tmp_path, OWN)
    (tmp_path / "__pycache__").touch()  # nor is it a folder for a user who may write everywhere
    home = {"HOME": str(tmp_path / "own.py"), "XDG_CACHE_HOME": str(tmp_path / "own.py")}
    code = "import own; print(own.answer(3), own.answer.stats.cache_path)"
    assert run_python(tmp_path, code, PYTHONDONTWRITEBYTECODE="1", **home) == "7 None"


def test_a_kernel_works_where_the_disk_is_full(tmp_path) -> None:
    module(tmp_path, OWN)
    code = """
        import errno, os, own

        def replace(*paths):
            raise OSError(errno.ENOSPC, "no space left")

        os.replace = replace
        print(own.answer(3))
    """
    assert run_python(tmp_path, code) == "7"
    assert run_python(tmp_path, "import own; print(own.answer(3))") == "7"
