"""Decorators that compile functions with numba, and the file cache of compiled kernels."""

from __future__ import annotations

import fcntl
import gc
import hashlib
import pickle
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import llvmlite
import numba
from llvmlite import ir
from llvmlite.binding import parse_bitcode
from numba import njit
from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

#: Folder of the LLVM code of kernels, which `boostbench.kernels` makes and some wheels contain.
SHIPPED = Path(__file__).parent / "_kernels"


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


class _Whole(JITCodeLibrary):
    """Code of a kernel, which is also kept as it was before optimisation (``plain``)."""

    def _optimize_final_module(self) -> None:
        self.plain = self._final_module.as_bitcode()
        super()._optimize_final_module()  # type: ignore[no-untyped-call]


def _compiler_to(library: type[JITCodeLibrary]) -> type[Compiler]:
    """Return numba's compiler, with a class for the code of functions."""

    class Pipeline(Compiler):
        def define_pipelines(self) -> Any:
            codegen, name = self.state.targetctx.codegen(), self.state.func_id.func_qualname
            self.state.library = library(codegen, name)
            self.state.library.enable_object_caching()
            return super().define_pipelines()  # type: ignore[no-untyped-call]

    return Pipeline


_PLAIN: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
    "pipeline_class": _compiler_to(_Part),
}

_KERNEL: dict[str, Any] = {
    "nogil": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
    "pipeline_class": _compiler_to(_Whole),
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


_intrinsic: Any = intrinsic  # numba's decorator is not typed


def _call_prefetch(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    call = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
    address = builder.bitcast(builder.gep(data, [args[1]]), pointer)
    builder.call(call, [address, number(0), number(3), number(1)])  # to read data, and keep it
    return context.get_dummy_value()


@_intrinsic
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
    dispatcher: Any = _decorator(**_KERNEL)(function)
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


class _KernelCache(FunctionCache):
    """File cache of a kernel that is also filled from the LLVM code of a kernel in `SHIPPED`.

    That code is as numba's frontend made it, for all processors of an architecture. It is optimised
    and translated for the processor at hand, which takes a quarter of the time of compilation.
    """

    #: Content of the files of all kernels compiled since `collect`, by name.
    collection: dict[str, bytes] | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if found is not None or self.collection is not None:
            return found
        codegen = target_context.codegen()
        try:
            shipped = (SHIPPED / self._code_file(sig, codegen)).read_bytes()
            (name, plain), *others = pickle.loads(shipped)
            stored = (_translated(codegen, name, plain), *others)
        except Exception:  # absent or damaged: the kernel is compiled from the sources
            return None
        with suppress(OSError):
            self._impl.locator.ensure_cache_path()
            self._cache_file.save(self._index_key(sig, codegen), stored)  # type: ignore[no-untyped-call]
        return self._impl.rebuild(target_context, stored)

    def save_overload(self, sig: Any, data: Any) -> None:
        if self.collection is not None:
            (name, *_), *others = self._impl.reduce(data)
            content = dumps(((name, data.library.plain), *others))  # type: ignore[no-untyped-call]
            self.collection[self._code_file(sig, data.codegen)] = content
        super().save_overload(sig, data)  # type: ignore[no-untyped-call]

    def _code_file(self, sig: Any, codegen: Any) -> str:
        """Return the name of the file of LLVM code."""
        triple, *_ = codegen.magic_tuple()
        kind = repr((str(sig), triple, numba.__version__, llvmlite.__version__))
        return f"{self._impl.filename_base}.{hashlib.sha256(kind.encode()).hexdigest()[:16]}"


def _translated(codegen: Any, name: str, plain: bytes) -> tuple[Any, ...]:
    """Optimise LLVM code and translate it for this processor; return it as numba stores it."""
    library = codegen.create_library(name)
    library._final_module = parse_bitcode(plain)
    library._optimize_final_module()
    library._finalized = True  # nothing is linked to it
    linked = library._get_module_for_linking().as_bitcode()
    return name, "object", (codegen._tm.emit_object(library._final_module), linked)


def collect() -> dict[str, bytes]:
    """Return a dict that gets the files for `SHIPPED` of all kernels compiled later, by name."""
    _KernelCache.collection = {}
    return _KernelCache.collection


def _keep_in_file(dispatcher: Any) -> None:
    """Enable the file cache of a kernel, after all functions that it calls are defined."""
    function, calls = dispatcher.py_func, f"-{_digest(dispatcher.py_func)}"
    if not function.__qualname__.endswith(calls):
        function.__qualname__ += calls
        with suppress(RuntimeError):  # no writable cache folder
            dispatcher._cache = _KernelCache(function)  # type: ignore[no-untyped-call]


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
