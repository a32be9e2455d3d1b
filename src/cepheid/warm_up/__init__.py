"""Making kernels ready before they are needed: the list that reaches all of them, and its uses.

`families` is the list, `run` goes through it on this machine, `build` through it for a level of processors.
"""
