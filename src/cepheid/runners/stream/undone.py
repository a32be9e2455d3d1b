"""A step of a session that is refused for its many rows leaves the session as it was."""

from cepheid.errors import LimitError, StepRefusedError
from cepheid.matchers.protocol import Outputs
from cepheid.matchers.snapshot import Snapshot
from cepheid.runners.stream.feed import Feed, StreamStep

_UNDONE = "; the session is as it was before this call"


def taken_or_undone(feed: Feed, step: StreamStep) -> Outputs:
    """What becomes certain with a step.

    Silence may bring more rows than are allowed. Where times tell so, the step is not begun; where they
    cannot tell, the feed goes back to where it was.
    """
    try:
        saved = feed.snapshot().to_bytes() if feed.foresee(step) else None
    except LimitError as error:
        raise StepRefusedError(f"{error}{_UNDONE}") from None
    counts = feed.events, list(feed.matches)
    try:
        return feed.take(step)
    except LimitError as error:
        if saved is None:
            raise
        feed.restore(Snapshot.from_bytes(saved))
        feed.events, feed.matches = counts
        raise StepRefusedError(f"{error}{_UNDONE}") from None
