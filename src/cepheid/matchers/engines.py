"""From a plan to the matcher that runs it."""

from __future__ import annotations

from cepheid.matchers.nfa.matcher import NfaMatcher
from cepheid.matchers.protocol import Matcher
from cepheid.plan.nodes import NfaPlan


def matcher_for(plan: NfaPlan, *, max_matches: int, max_state: int) -> Matcher:
    """A new matcher for a plan."""
    return MATCHERS[type(plan)](plan, max_matches=max_matches, max_state=max_state)


MATCHERS = {NfaPlan: NfaMatcher}
