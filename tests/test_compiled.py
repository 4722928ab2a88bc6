"""Kernels from the file cache are those of the sources, whoever compiles at the same time."""

import gc
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import textwrap
from collections import Counter
from contextlib import suppress
from subprocess import PIPE

import pytest
from numba.core.registry import CPUDispatcher as Dispatcher

import boostbench
from boostbench.compiled import _digest
from boostbench.weak_learners.growing import _KERNELS


def module(folder, text):
    (folder / "own.py").write_text(textwrap.dedent(text))


#: Forks a process for each code that it is sent, all at a time. It has compiled nothing of ours.
FORKS = """
import json, os, sys, traceback, numba, boostbench.compiled
sys.dont_write_bytecode = True  # own.py changes several times within a second
numba.njit(lambda x: x)(1)
for line in sys.stdin:
    folder, codes = json.loads(line)
    outputs = []
    for code in codes:
        reader, writer = os.pipe()
        if not os.fork():
            os.dup2(writer, 1)
            os.dup2(writer, 2)
            os.chdir(folder)
            sys.path.insert(0, folder)
            try:
                exec(code, {})
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(0)
        os.close(writer)
        outputs.append(os.fdopen(reader))
    print(json.dumps([output.read().strip() for output in outputs]), flush=True)
    while outputs:
        outputs.pop().close()
        os.wait()
"""


@pytest.fixture(scope="module")
def forks():
    """Return a function that runs codes in processes of their own, and returns what they print."""
    command = [sys.executable, "-c", FORKS]
    # with the files of kernels beside their sources
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True, env=env) as server:

        def run(folder, *codes):
            asked = [str(folder), [textwrap.dedent(code) for code in codes]]
            server.stdin.write(json.dumps(asked) + "\n")
            server.stdin.flush()
            return json.loads(server.stdout.readline())

        yield run
        server.stdin.close()


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


def test_a_kernel_is_compiled_anew_when_what_it_calls_changes(forks, tmp_path):
    code = "import own; print(own.answer(3), sum(own.answer.stats.cache_hits.values()))"
    module(tmp_path, OWN)
    assert forks(tmp_path, code) + forks(tmp_path, code) == ["7 0", "7 1"]
    module(tmp_path, OWN.replace("2 * x", "5 * x"))
    assert forks(tmp_path, code) == ["16 0"]
    module(tmp_path, OWN.replace("SHIFT = 1", "SHIFT = 2"))
    assert forks(tmp_path, code) == ["8 0"]
    module(tmp_path, OWN)
    assert forks(tmp_path, code) in (["7 0"], ["7 1"])  # numba before 0.64 keeps one source alone


def test_kernels_of_old_sources_are_not_kept(forks, tmp_path):
    module(tmp_path, OWN)
    late = """
        import own
        text = open("own.py").read()
        open("own.py", "w").write(text.replace("2 * x", "5 * x"))
        print(own.answer(3))
    """
    assert forks(tmp_path, late) == ["7"]
    assert forks(tmp_path, "import own; print(own.answer(3))") == ["16"]


def test_processes_that_compile_at_a_time_do_not_mix_up_their_kernels(forks, tmp_path):
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
    found = forks(tmp_path, *(first.replace("sys.argv[1]", f"'{order}'") for order in orders))
    assert found == [str([1 + int(k) for k in order]) for order in orders]
    counted = f"{first}; print(sum(len(k.stats.cache_hits) for k in own.kernels))"
    again = forks(tmp_path, counted.replace("sys.argv[1]", "'012345'"))
    assert again == ["[1, 2, 3, 4, 5, 6]\n6"]


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


def test_kernels_of_functions_of_the_same_name_differ(forks, tmp_path):
    loops = "for i in range(x.shape[0]): s += f(x[i] + {0}) * x[(i + {0}) % x.shape[0]]"
    body = "\n".join(" " * 12 + loops.format(j) for j in range(12))
    module(tmp_path, TWINS.replace("BODY", body))
    # each is the first that its process compiles, so numba gives both the same number
    for name, expected in (("doubles", "5576.0"), ("halves", "1394.0")):
        assert forks(tmp_path, f"import own; print(own.{name}(own.x))") == [expected]
    both = "import own; print(own.doubles(own.x), own.halves(own.x))"
    assert forks(tmp_path, both) == ["5576.0 1394.0"]


@pytest.fixture(scope="module")
def compiled():
    """Return all functions of the package that numba compiles."""
    for found in pkgutil.walk_packages(boostbench.__path__, "boostbench."):
        if not found.name.startswith(("boostbench.__main__", "boostbench.templates.")):
            with suppress(ModuleNotFoundError):  # of an extra that is not installed
                importlib.import_module(found.name)
    dispatchers = [x for x in gc.get_objects() if isinstance(x, Dispatcher)]
    return [x for x in dispatchers if x.py_func.__module__.startswith("boostbench.")]


def test_no_two_compiled_functions_have_the_same_name(compiled):
    functions = {x.py_func for x in compiled}
    names = Counter((function.__module__, function.__qualname__) for function in functions)
    assert len(names) > 100
    assert [name for name, times in names.items() if times > 1] == []


def test_no_kernel_holds_functions_in_its_closure(compiled):
    kernels = [x.py_func for x in compiled if x.targetoptions.get("nogil")]
    assert len(kernels) >= 6
    held = {f.__qualname__: [c.cell_contents for c in f.__closure__ or ()] for f in kernels}
    assert [name for name, cells in held.items() if any(map(callable, cells))] == []


def test_no_two_growing_kernels_are_the_same():
    digests = {_digest(one.py_func) for pair in _KERNELS.values() for one in pair}
    assert len(digests) == 2 * len(_KERNELS)


def test_a_kernel_works_where_no_file_can_be_kept(forks, tmp_path):
    module(tmp_path, OWN)
    (tmp_path / "__pycache__").touch()  # nor is it a folder for a user who may write everywhere
    code = """
        import os
        os.environ["HOME"] = os.environ["XDG_CACHE_HOME"] = os.path.abspath("own.py")
        import own
        print(own.answer(3), own.answer.stats.cache_path)
    """
    assert forks(tmp_path, code) == ["7 None"]


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_file_of_a_kernel_is_found_and_compiled_anew(forks, tmp_path, suffix):
    module(tmp_path, OWN)
    assert forks(tmp_path, "import own; print(own.answer(3))") == ["7"]
    (file,) = tmp_path.rglob(f"*{suffix}")
    file.write_bytes(file.read_bytes()[:-9])
    code = """
        import own
        from boostbench.inputs import remove_damaged
        try:
            own.answer(3)
        except Exception as error:
            assert remove_damaged(error)
            print(own.answer(3), own.answer(4))
    """
    assert forks(tmp_path, code) == ["7 9"]
    assert forks(tmp_path, "import own; print(own.answer(3))") == ["7"]


def test_a_kernel_works_where_the_disk_is_full(forks, tmp_path):
    module(tmp_path, OWN)
    code = """
        import errno, os, own
        from unittest.mock import Mock
        os.replace = Mock(side_effect=OSError(errno.ENOSPC, "no space left"))
        print(own.answer(3))
    """
    assert forks(tmp_path, code) == ["7"]
    assert forks(tmp_path, "import own; print(own.answer(3))") == ["7"]
