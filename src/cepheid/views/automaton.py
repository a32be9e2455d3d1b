"""An automaton as a picture: its states in a line from top to bottom, and beside each arrow what it asks."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid.plan.explanation import Edge
from cepheid.views.lettering import LINE, shortened, text_at, titled, wrapped

HIGH, NARROW, WIDE, LETTER = 26, 46, 104, 7.4  # of a state
SIDE, PASSING = 6, 9  # free at the left; and for each arrow that passes states by
LOOP, ROOM = 26, 8
MATCH, START = "match", "start"


class AutomatonDrawing:
    """One automaton, or several below each other."""

    def __init__(self, edges: Sequence[Edge], ends: Sequence[str], width: int) -> None:
        named = dict.fromkeys([*(e.source for e in edges), *(e.target for e in edges)])
        self._states = [*(state for state in named if state != MATCH), *([MATCH] if MATCH in named else [])]
        self._place = {state: place for place, state in enumerate(self._states)}
        self._edges, self._ends = edges, {*ends, MATCH}
        self._passing = self._tracks()
        self._left = SIDE + PASSING * max([0, *(track + 1 for track in self._passing.values())])
        longest = max([0, *(len(state) for state in self._states if state != START)])
        self._box = min(max(LETTER * longest + 18, NARROW), WIDE)
        self._text = self._left + self._box + ROOM
        self._width = width - self._text
        self._middle: dict[str, float] = {}

    def parts(self, top: float) -> tuple[list[str], float]:
        """What is drawn, from a height on, and how high it is."""
        drawn: list[str] = []
        y = top
        for place, state in enumerate(self._states):
            above = self._states[place - 1] if place else None
            coming = [edge for edge in self._edges if edge.target == state and edge.source != state]
            pieces, height = self._coming(coming, above, y)
            drawn += pieces
            y += height
            pieces, height = self._state(state, y)
            drawn += pieces
            y += height
        return [*self._passing_arrows(), *drawn], y - top

    def _tracks(self) -> dict[Edge, int]:
        """Arrows that do not lead to the next state pass at the left, each in a track that is free."""
        found: dict[Edge, int] = {}
        taken: list[list[tuple[int, int]]] = []
        for edge in self._edges:
            first, last = sorted((self._place[edge.source], self._place[edge.target]))
            if first == last or self._place[edge.target] == self._place[edge.source] + 1:
                continue
            free = (n for n, track in enumerate(taken) if all(b <= first or last <= a for a, b in track))
            number = next(free, len(taken))
            taken[number : number + 1] = [[*(taken[number] if number < len(taken) else []), (first, last)]]
            found[edge] = number
        return found

    def _coming(self, edges: Sequence[Edge], above: str | None, y: float) -> tuple[list[str], float]:
        """The words of the arrows that lead to a state, between it and the one above."""
        if above is None:
            return [], 0.0
        drawn, height = [], float(ROOM)
        for edge in edges:
            begins = "" if edge.source == above and len(edges) == 1 else f"from {edge.source}: "
            words, high = self._words(edge, begins, y + height)
            drawn.append(words)
            height += high
        height += 14
        if any(edge.source == above for edge in edges):
            x = self._left + self._box / 2
            begin = self._middle[above] + (7 if above == START else HIGH / 2)
            drawn.append(_arrow(f"M{x:g} {begin:g}V{y + height - 1:g}", x, y + height, "down"))
        return drawn, height

    def _state(self, state: str, y: float) -> tuple[list[str], float]:
        """A state, and beside it the arrows that lead back to itself."""
        self._middle[state] = y + HIGH / 2
        loops = [edge for edge in self._edges if edge.source == edge.target == state]
        drawn = [self._drawn(state, y)]
        height = 2.0
        for edge in loops:
            x, at = self._left + self._box, y + height
            dashed = " passing" if edge.dashed else ""
            drawn.append(
                f'<path class="arrow{dashed}" d="M{x + 1:g} {at + 6:g}c16 -7 16 11 3 8"/>'
                f'<path class="tip" d="M{x + 1:g} {at + 13:g}l6 -3v6z"/>'
            )
            words, high = self._words(edge, "", at, indent=LOOP - ROOM)
            drawn.append(words)
            height += high
        return drawn, max(height, HIGH)

    def _words(self, edge: Edge, before: str, y: float, indent: float = 0.0) -> tuple[str, float]:
        x = self._text + indent
        kind = "dim" if edge.dashed else ""
        lines = wrapped(f"{before}{edge.label}", self._width - indent) if edge.label or before else []
        texts = [text_at(x, y + LINE * n + 12, line, kind) for n, line in enumerate(lines)]
        counted = wrapped(edge.count, self._width - indent - 16) if edge.count else []
        texts += [text_at(x, y + LINE * n + 12, line, "count") for n, line in enumerate(counted, len(lines))]
        title = f"{edge.source} → {edge.target}: {edge.told}"
        return titled(title, *texts), LINE * len(texts) + 4.0

    def _drawn(self, state: str, y: float) -> str:
        x = self._left
        kind = "state end" if state in self._ends else "state"
        box = f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{self._box:g}" height="{HIGH}" rx="13"/>'
        if state in self._ends:
            box += (
                f'<rect class="{kind} inner" x="{x + 3:g}" y="{y + 3:g}" width="{self._box - 6:g}" '
                f'height="{HIGH - 6}" rx="10"/>'
            )
        if state == START:
            box = f'<circle class="begin-dot" cx="{x + self._box / 2:g}" cy="{y + HIGH / 2:g}" r="7"/>'
            return titled(state, box)
        name = text_at(
            x + self._box / 2, y + 17.5, shortened(state, int((WIDE - 16) / LETTER)), "name", "middle"
        )
        return titled(state, box, name)

    def _passing_arrows(self) -> list[str]:
        drawn = []
        for edge, track in self._passing.items():
            x = self._left - PASSING * (track + 1) + 2
            from_y, to_y = self._middle[edge.source] + 4, self._middle[edge.target] - 4
            begins, ends = self._left, self._left
            if edge.source == START:
                begins = int(self._left + self._box / 2 - 7)
                from_y -= 4
            path = f"M{begins:g} {from_y:g}H{x + 5:g}Q{x:g} {from_y:g} {x:g} {_near(from_y, to_y):g}"
            path += f"V{_near(to_y, from_y):g}Q{x:g} {to_y:g} {x + 5:g} {to_y:g}H{ends - 1:g}"
            arrow = _arrow(path, ends, to_y, "right")
            drawn.append(titled(f"{edge.source} → {edge.target}: {edge.told}", arrow))
        return drawn


def _near(y: float, other: float) -> float:
    return y + 5 if other > y else y - 5


def _arrow(path: str, x: float, y: float, where: str) -> str:
    tip = f"M{x:g} {y:g}l-4 -7h8z" if where == "down" else f"M{x:g} {y:g}l-7 -4v8z"
    return f'<path class="arrow" d="{path}"/><path class="tip" d="{tip}"/>'
