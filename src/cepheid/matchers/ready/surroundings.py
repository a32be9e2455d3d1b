"""What compiled code depends on besides its source: it is compared before a ready kernel is loaded."""

import sys
from dataclasses import asdict, dataclass, field

import llvmlite
import llvmlite.binding
import numba
from numba.core import codegen, config

SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT", "BOUNDSCHECK")
"""Settings of Numba, by their names in `numba.config`, that change the code it makes."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The sources of all kernels (by their stamp), the compilers, the interpreter and the system."""

    stamp: str
    numba: str
    llvmlite: str
    python: str
    triple: str
    settings: dict[str, str] = field(default_factory=dict)

    def difference(self, other: "Surroundings") -> str | None:
        """The first thing that differs, in words; None if all is the same."""
        ours, theirs = asdict(self), asdict(other)
        for name, words in WORDS.items():
            if ours[name] != theirs[name]:
                return f"{words} {theirs[name]}, and this is {ours[name]}"
        return None


WORDS = {
    "stamp": "they were built from other sources:",
    "numba": "they were built by Numba",
    "llvmlite": "they were built by llvmlite",
    "python": "they were built for Python",
    "triple": "they were built for the system",
    "settings": "they were built with Numba's settings",
}


def surroundings(stamp: str) -> Surroundings:
    """What code compiled in this process depends on."""
    return Surroundings(
        stamp,
        numba.__version__,
        llvmlite.__version__,
        f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}",
        llvmlite.binding.get_process_triple(),
        {name: str(getattr(config, name, None)) for name in SETTINGS},
    )


def chosen_cpu() -> str | None:
    """The processor or the features that the user has told Numba to compile for; None if the host decides."""
    name, features = config.CPU_NAME, config.CPU_FEATURES  # type: ignore[attr-defined]
    return None if name is None and features is None else f"{name or ''} {features or ''}".strip()


def host_features() -> str:
    """The features of this host that Numba makes use of: `+avx2,-avx512f,…`."""
    features: str = codegen.get_host_cpu_features()
    return features
