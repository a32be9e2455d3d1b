"""A tree as a picture: a node on each line, what is below it further right, and its words under its name."""

from __future__ import annotations

from collections.abc import Sequence

from cepheid.plan.explanation import OutlineNode
from cepheid.views.lettering import LETTER, LINE, shortened, text_at, titled, wrapped

INDENT, HIGH, ROOM, MOST_DEEP = 20, 24, 8, 8


class OutlineDrawing:
    """One tree."""

    def __init__(self, nodes: Sequence[OutlineNode], width: int) -> None:
        self._nodes, self._width = nodes, width
        self._depth: list[int] = []
        for node in nodes:
            self._depth.append(0 if node.parent < 0 else self._depth[node.parent] + 1)

    def parts(self, top: float) -> tuple[list[str], float]:
        """What is drawn, from a height on, and how high it is."""
        lines: list[str] = []
        boxes: list[str] = []
        tops: list[float] = []
        y = top
        for node, depth in zip(self._nodes, self._depth, strict=True):
            x = 2 + INDENT * min(depth, MOST_DEEP)
            tops.append(y)
            if node.parent >= 0:
                from_x = 2 + INDENT * min(self._depth[node.parent], MOST_DEEP) + 10
                down = f"M{from_x} {tops[node.parent] + HIGH:g}V{y + HIGH / 2:g}"
                lines.append(f'<path class="arrow" d="{down}H{max(x, from_x + 4)}"/>')
            box, height = self._node(node, x, y)
            boxes.append(box)
            y += height + ROOM
        return [*lines, *boxes], y - ROOM - top

    def _node(self, node: OutlineNode, x: int, y: float) -> tuple[str, float]:
        free = self._width - x
        name = shortened(node.name, int((free - 20) / 7))
        wide = min(max(len(name) * 7.2 + 18, 30), free - 2)
        kind = "state end" if node.parent < 0 else "state"
        texts = [
            f'<rect class="{kind}" x="{x}" y="{y:g}" width="{wide:g}" height="{HIGH}" rx="6"/>',
            text_at(x + 9, y + 16.5, name, "name"),
        ]
        beside = free - wide - 12
        words = [(line, "") for line in node.lines] + [(count, "count") for count in node.counts]
        height = float(HIGH)
        if words and len(words[0][0]) * LETTER <= beside:
            texts.append(text_at(x + wide + 8, y + 16.5, *words.pop(0)))
        for text, look in words:
            for line in wrapped(text, free - 26):
                texts.append(text_at(x + 24, y + height + 13, line, look))
                height += LINE
        title = "\n".join([node.name, *node.lines, *node.counts])
        return titled(title, *texts), height + (4 if words else 0)
