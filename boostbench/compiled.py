"""Decorators that compile functions with numba, and the file cache of compiled kernels."""

from __future__ import annotations

import fcntl
import gc
import hashlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from llvmlite import ir
from numba import extending, njit
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock

F = TypeVar("F", bound=Callable[..., Any])


def _decorator(**options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles functions with the given options.

    numba identifies a compiled function by its qualified name and a number that is unique in one
    process only. All closures that a factory function returns have the same qualified name, so two
    kernels loaded from files could define different closures under one symbol. A digest appended
    to the name of each closure makes the symbols distinct.
    """
    compiled: Callable[[F], F] = njit(error_model="numpy", **options)

    def decorate(function: F) -> F:
        if function.__closure__:
            function.__qualname__ = f"{function.__name__}_{_digest(function)}"
        return compiled(function)

    return decorate


class _Part(JITCodeLibrary):
    """Code of a function that only compiled functions call.

    It is linked into the kernels that call the function, and optimised and translated to machine
    code only there. numba does both for each function and again for all of its callers.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    @property
    def codegen(self) -> _Part:
        return self

    def set_env(self, name: str, env: Any) -> None:
        """Do nothing: numba would write an address into the machine code."""


class _PartCompiler(Compiler):
    """numba's compiler, with `_Part` as the code of a function."""

    def define_pipelines(self) -> Any:
        codegen, name = self.state.targetctx.codegen(), self.state.func_id.func_qualname
        self.state.library = _Part(codegen, name)  # type: ignore[no-untyped-call]
        return super().define_pipelines()  # type: ignore[no-untyped-call]


_PLAIN: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
    "pipeline_class": _PartCompiler,
}

#: Compiles a function that only compiled functions call; its code is stored with the caller. The
#: function must not allocate arrays: without reference counting and without wrappers for Python and
#: C, compilation takes two thirds of the time.
inner: Callable[[Callable[..., Any]], Any] = _decorator(**_PLAIN)

#: As `inner`, for scalar functions, which are inlined into the loops that call them.
in_line: Callable[[F], F] = _decorator(forceinline=True, **_PLAIN)

#: As `inner`, for arithmetic whose last bits do not matter: operations may be reassociated and
#: contracted to fused multiply-adds.
rough: Callable[[Callable[..., Any]], Any] = _decorator(
    fastmath={"contract", "reassoc", "nnan", "nsz"}, **_PLAIN
)

#: Inlines a function into its callers before type inference. Branches on constant arguments are
#: pruned before numba compiles the functions called in them.
stage: Callable[[Callable[..., Any]], Any] = _decorator(inline="always")


intrinsic: Any = extending.intrinsic  # numba's decorator is not typed


def _call_prefetch(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    call = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
    address = builder.bitcast(builder.gep(data, [args[1]]), pointer)
    builder.call(call, [address, number(0), number(3), number(1)])  # to read data, and keep it
    return context.get_dummy_value()


@intrinsic
def prefetch(context, array, place):  # type: ignore[no-untyped-def]
    """Load the cache line of an element of a C-ordered array, by its flat index, before its use."""
    return types.void(array, types.int64), _call_prefetch


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, with a file cache; it runs without the GIL.

    As with `inner`, the function must not allocate arrays: output and work space are arguments.

    numba's cache invalidates a kernel only if the source file of the kernel changes, not if a
    function called by the kernel does, and two processes that store at the same time may corrupt
    it. Here the name of the cache file contains a digest of all compiled code, and a lock lets one
    process compile a kernel while others wait and load the result. A kernel must not have functions
    in its closure, or numba does not find its file again; it must call them by their module-level
    names.
    """
    dispatcher: Any = _decorator(nogil=True, no_cfunc_wrapper=True, _nrt=False)(function)
    compiles = dispatcher.compile

    def load_or_compile(signature: Any) -> Any:
        with ExitStack() as held:
            held.enter_context(global_compiler_lock)  # one thread at a time
            _keep_in_file(dispatcher)
            if gc.isenabled():  # collections take a tenth of the compile time and free nothing
                gc.disable()
                held.callback(gc.enable)
            with suppress(OSError, TypeError):  # folder missing, read-only or without locking
                folder = Path(dispatcher.stats.cache_path)
                lock = held.enter_context((folder / f"{function.__qualname__}.lock").open("ab"))
                fcntl.flock(lock, fcntl.LOCK_EX)
                # closing is not enough: a forked process shares the lock
                held.callback(fcntl.flock, lock, fcntl.LOCK_UN)
            with suppress(OSError):  # compiled, but the cache file cannot be written
                return compiles(signature)
            return compiles(signature)

    dispatcher.compile = load_or_compile
    return dispatcher


def _keep_in_file(dispatcher: Any) -> None:
    """Enable the file cache of a kernel, after all functions that it calls are defined."""
    function, calls = dispatcher.py_func, f"-{_digest(dispatcher.py_func)}"
    if not function.__qualname__.endswith(calls):
        function.__qualname__ += calls
        with suppress(RuntimeError):  # no writable cache folder
            dispatcher.enable_caching()


def _digest(function: Callable[..., Any]) -> str:
    """Return a digest of a function and of all functions and globals that it uses."""
    digest, known, left = hashlib.sha256(), set(), list[Any]([function])
    while left:
        item = left.pop()
        item = getattr(item, "py_func", getattr(item, "_defn", item))  # or an intrinsic
        if not isinstance(item, FunctionType | ModuleType):  # a constant, or a named tuple
            digest.update(f"{item!r}{getattr(item, '_fields', '')}".encode())
        elif isinstance(item, FunctionType) and item not in known:
            known.add(item)
            code, names = item.__code__, item.__globals__
            digest.update(code.co_code + repr((code.co_consts, code.co_names)).encode())
            left += [cell.cell_contents for cell in item.__closure__ or ()]
            left += [names[name] for name in code.co_names if name in names]
    return digest.hexdigest()[:16]
