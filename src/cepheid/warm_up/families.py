"""The warm-up list: every kernel and signature is reached by one of these functions.

A new engine adds a module beside this one, and a line for each of its families. A family is what can be
compiled by itself: kernels of one family share many functions, kernels of two share few.
"""

from collections.abc import Callable, Iterator
from typing import Any

from cepheid.warm_up import aggregate, nfa, profiles, tree, twig

FAMILIES: dict[str, Callable[[], None]] = {
    "matching": nfa.match,
    "following profiles": profiles.follow,
    "answering without listing": nfa.answer_without_listing,
    "matching by trees": tree.match,
    "condensing in trees": tree.condense,
    "answering by trees": tree.answer_without_listing,
    "counting by marking": aggregate.count_by_marking,
    "counting by algebra": aggregate.count_by_algebra,
    "counting by stacks": aggregate.count_by_stacks,
    "backtracking": nfa.backtrack,
    "matching later": nfa.match_later,
    "counting in order": aggregate.count_in_order,
    "counting on ways": aggregate.count_on_ways,
    "counting": aggregate.count,
    "counting together": aggregate.count_together,
    "counting by construction": aggregate.count_by_construction,
    "matching in XML": twig.match,
    "reading XML": twig.scan,
    "cutting XML": twig.cut,
    "matching by hand": nfa.match_by_hand,
}
"""The longest first, so that several processes end at about one time."""


def all_kernels() -> Iterator[Any]:
    """Every compiled function of the package, as Numba's dispatcher; each once, however it is imported."""
    import sys
    from importlib import import_module
    from pkgutil import walk_packages

    import cepheid.matchers

    for found in walk_packages(cepheid.matchers.__path__, "cepheid.matchers."):
        import_module(found.name)
    seen = set()
    for name, module in sorted(sys.modules.items()):
        if name.startswith("cepheid.matchers."):
            for value in vars(module).values():
                if hasattr(value, "overloads") and hasattr(value, "py_func") and id(value) not in seen:
                    seen.add(id(value))
                    yield value
