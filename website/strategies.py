"""Draws the four strategies over one stream, from what each finds: `python -m website.strategies`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cepheid
from website.drawing import svg, text

FOLDER = Path(__file__).parent.parent / "docs" / "concepts" / "pictures"
STRATEGIES = ("strict_contiguity", "partition_contiguity", "skip_till_next_match", "skip_till_any_match")
STREAM = tuple(
    {"time": time, "type": kind, "k": key}
    for time, (kind, key) in enumerate(
        [
            ("A", "x"),
            ("B", "x"),
            ("A", "x"),
            ("C", "y"),
            ("B", "x"),
            ("A", "x"),
            ("C", "x"),
            ("B", "x"),
            ("B", "x"),
        ],
        1,
    )
)
STEP, LEVEL = 40, 62


def found(strategy: str) -> list[tuple[int, int]]:
    """From when to when each match is."""
    query = cepheid.query(
        f"PATTERN SEQ(A a, B b) WHERE {strategy} {{ [k] }} WITHIN 3 RETURN a.time AS first, b.time AS last"
    )
    return [(row["first"], row["last"]) for row in query.run(STREAM, time="time", type="type")]


def drawn(strategy: str) -> str:
    """The stream, with an arc for each match."""
    matches = found(strategy)
    said = f"{strategy} finds " + ", ".join(f"A{first} with B{last}" for first, last in matches)
    return svg(STEP * len(STREAM), LEVEL + 36, said, _parts(matches))


def _parts(matches: list[tuple[int, int]]) -> Iterator[str]:
    taken = {time for match in matches for time in match}
    yield f'<path class="line" d="M4 {LEVEL}H{STEP * len(STREAM) - 4}"/>'
    for first, last in matches:
        x, to_x = _x(first), _x(last)
        height = 18 + 13 * (last - first)
        top, foot = LEVEL - height, LEVEL - 14
        yield (
            f'<path class="way" d="M{x} {foot}C{x} {top} {to_x} {top} {to_x} {foot}">'
            f"<title>A{first} with B{last}</title></path>"
        )
    for event in STREAM:
        time, x = event["time"], _x(event["time"])
        shape = "one" if time in taken else "box" if event["k"] == "x" else "other"
        told = f"{event['type']}{time}, k = {event['k']}"
        yield f'<circle class="{shape}" cx="{x}" cy="{LEVEL}" r="13"><title>{told}</title></circle>'
        yield text(x, LEVEL + 5, str(event["type"]), "one-word" if time in taken else "")
        yield text(x, LEVEL + 30, f"{time}{' · y' if event['k'] == 'y' else ''}", "dim")


def _x(time: object) -> int:
    return STEP * int(str(time)) - STEP // 2


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for strategy in STRATEGIES:
        (FOLDER / f"{strategy}.svg").write_text(drawn(strategy) + "\n")


if __name__ == "__main__":
    main()
