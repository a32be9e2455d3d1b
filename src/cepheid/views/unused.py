"""Late and bad events in words: how many there were, and the first reasons."""

import pyarrow as pa

SHOWN_REASONS = 3


def unused_lines(kind: str, count: int, kept: pa.Table) -> list[str]:
    """How many events were late or bad, and why: nothing vanishes."""
    if not count:
        return []
    reasons = kept.column("reason").value_counts().to_pylist()
    lines = [f"{item['values']}{_often(item['counts'])}" for item in reasons[:SHOWN_REASONS]]
    more = len(reasons) - SHOWN_REASONS
    return [
        *lines,
        *([f"… and {more:,} more reasons"] if more > 0 else []),
        f"{count:,} {kind} event{'' if count == 1 else 's'} took no part",
    ]


def _often(count: int) -> str:
    return f" ({count:,} times)" if count > 1 else ""
