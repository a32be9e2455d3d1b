"""How compiled functions become kernels: linked first, then optimised once, as a whole.

Numba optimises a function, turns it into machine code, and does both again in every function that calls it.
Here a function that another one calls is only a *part*: it is put into LLVM's language and waits. A kernel
that Python calls takes in all its parts, then is optimised and turned into machine code. Nothing else can
call the parts in there, so LLVM may change how they are called: of the hundreds of values in a tuple of
arrays, a part is only handed those that it uses.

These are the insides of Numba. `jit` uses them with the versions that they were tried with.
"""

from collections.abc import Callable
from typing import Any

from numba import _dynfunc, types  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

PART_OPTIONS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
KERNEL_OPTIONS = {"no_cfunc_wrapper": True, "forceinline": False}
FOR_PYTHON = "_ZN7cpython"  # how the names of functions begin that Python calls


class LinkedLibrary(JITCodeLibrary):
    """Code that takes in the parts that it calls, and those that they call in turn."""

    def add_linking_library(self, library: Any) -> None:
        """Let a function be linked that this one calls."""
        parts = library._linking_libraries if isinstance(library, PartLibrary) else ()
        for each in (library, *parts):
            if each not in self._linking_libraries:
                self._linking_libraries.append(each)


class PartLibrary(LinkedLibrary):
    """The code of a part. It is never run by itself."""

    def finalize(self) -> None:
        """Leave the rest to the kernels that take it in."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Python cannot call it."""
        return 0

    def _get_module_for_linking(self) -> Any:
        return self._final_module


class KernelLibrary(LinkedLibrary):
    """The code of a kernel with all its parts."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and not function.name.startswith(FOR_PYTHON):
                function.linkage = "internal"
        passes, options = self._codegen._module_pass_manager()
        passes.run(self._final_module, options)


class PartCompiler(Compiler):
    """Compiles a function for others to call."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Put it into LLVM's language, and no further."""
        target = self.state.targetctx
        self.state.library = PartLibrary(target.codegen(), func.__qualname__)
        target.get_executable = _uncallable  # of this part alone: each compiler has a target of its own
        return super().compile_extra(func)


class KernelCompiler(Compiler):
    """Compiles a function for Python to call."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile it with all its parts; what comes out can be cached."""
        self.state.library = KernelLibrary(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


def stand_in(compiled: Any, kernel: Any) -> None:
    """Let functions that call a kernel take in its part instead. One part does for all numbers: that some are
    known beforehand is for LLVM to see."""

    def template(args: Any, kws: Any) -> Any:
        return kernel.part.get_call_template([types.unliteral(each) for each in args], kws)

    def overload(signature: Any) -> Any:
        return kernel.part.get_overload(signature)

    compiled.get_call_template, compiled.get_overload = template, overload


def _uncallable(library: Any, fndesc: Any, env: Any) -> Any:
    """What Numba holds in the place of a function that Python calls: a part has none."""
    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "", 0, env, (library,))
