"""What stands in the patterns of profiles alone, and is refused by name in any other query."""

from cepheid.errors import UnsupportedError
from cepheid.pattern import nodes as pt

_NAMES: dict[type[pt.Pattern], str] = {
    pt.At: "AT, a time event,",
    pt.Every: "EVERY, a time event,",
    pt.Silence: "SILENCE OF, a time event,",
    pt.Nth: "Type[i] v, a selection,",
}


def refuse_outside_profiles(pattern: pt.Pattern) -> UnsupportedError | None:
    """Why a plain query cannot have this pattern, or None if it can."""
    for node in pt.walk(pattern):
        if type(node) in _NAMES:
            return UnsupportedError(
                f"{_NAMES[type(node)]} stands in profiles alone",
                span=node.span,
                hint="make a profile of the query: cepheid.profile(…)",
            )
    return None
