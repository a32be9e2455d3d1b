"""From a plan to the matcher that runs it.

An engine is imported when a plan asks for it: to declare its compiled functions takes as long as a short run.
"""

from importlib import import_module
from typing import Any

from cepheid.matchers.allowance import Allowance
from cepheid.matchers.protocol import Matcher
from cepheid.plan.plan import Plan


def matcher_for(plan: Plan, allowance: Allowance) -> Matcher:
    """A new matcher for a plan, within these limits."""
    matcher: Matcher = named(plan.engine.matcher)(plan, allowance)
    return matcher


def named(function: str) -> Any:
    """What a plan names, since it stands below what can do it: a function or class by its dotted name."""
    module, name = function.rsplit(".", 1)
    return getattr(import_module(module), name)
