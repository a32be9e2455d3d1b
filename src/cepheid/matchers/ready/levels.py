"""Levels of processors that ready kernels are built for, and whether this host has one."""

import platform

X86_64 = ("cmov", "cx8", "fxsr", "mmx", "sse", "sse2")
V2 = (*X86_64, "cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
V3 = (*V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
V4 = (*V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")

LEVELS: dict[str, tuple[str, ...]] = {
    "x86-64-v4": V4,
    "x86-64-v3": V3,
    "x86-64-v2": V2,
    "x86-64": X86_64,
}
"""The features that each level has, in LLVM's words, best level first (the psABI of x86-64 defines them)."""

USUAL = "x86-64-v3"
"""What is built unless told: nearly every x86 server since 2015 has it, and it has vectors of 256 bits."""

MACHINES = ("x86_64", "amd64")


def lacking(level: str, features: str) -> list[str]:
    """What a host with these features (`+avx2,-avx512f,…`, as Numba lists them) lacks of a level."""
    has = {feature[1:] for feature in features.split(",") if feature.startswith("+")}
    return [feature for feature in LEVELS[level] if feature not in has]


def is_known_machine() -> bool:
    """Whether there are levels for this kind of processor at all."""
    return platform.machine().lower() in MACHINES
