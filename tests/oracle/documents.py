"""Documents as trees of elements that know their bytes: what the oracle of tree patterns looks at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat


@dataclass(eq=False)
class Element:
    """An element; the document itself is one without a tag, whose only child is the root."""

    tag: str | None
    attributes: dict[str, str]
    start: int
    parent: Element | None
    end: int = -1
    children: list[Element] = field(default_factory=list)
    content: list[str | Element] = field(default_factory=list)
    name: str | None = None  # what steps compare with their tags: it differs where namespaces are compared
    tested: dict[str, str] = field(default_factory=dict)  # likewise of attributes

    def below(self) -> Iterator[Element]:
        """All elements inside, in document order."""
        for child in self.children:
            yield child
            yield from child.below()

    def text(self) -> str:
        """XPath's string-value."""
        return "".join(part if isinstance(part, str) else part.text() for part in self.content)


def document(data: bytes) -> Element:
    """The tree of a document in UTF-8 whose start tags hold no `>` in their attributes."""
    top = Element(None, {}, -1, None)
    opened = [top]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentByteIndex, opened[-1])
        element.name, element.tested = tag, attributes
        opened[-1].children.append(element)
        opened[-1].content.append(element)
        opened.append(element)

    def end(tag: str) -> None:
        element = opened.pop()
        after = data.index(b">", element.start) + 1  # of the start tag
        is_empty = data[after - 2 : after] == b"/>"
        element.end = after if is_empty else data.index(b">", parser.CurrentByteIndex) + 1

    def text(data: str) -> None:
        opened[-1].content.append(data)

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.Parse(data, True)
    return top
