"""Kernels that come ready, and where those compiled here are kept.

A kernel is looked up in the user's cache for this host, then among the ready kernels of the package
`cepheid_kernels`, and is compiled if neither has it. `matchers/jit.py` is the only one that asks.
"""
