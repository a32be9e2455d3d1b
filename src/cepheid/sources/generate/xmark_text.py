"""The prose of XMark documents: texts with bold, keyword and emph, and lists in lists."""

import math
from collections.abc import Callable
from random import Random

from cepheid.sources.generate.decks import by_shares, dealt, spread, yes
from cepheid.sources.generate.words import WORDS

MARKS = ("bold", "keyword", "emph")


class Prose:
    """Makes descriptions and texts, with the shares and lengths of the original."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._plain = dealt(chance, spread(27, least=1))
        self._marks = dealt(chance, spread(2.23, rounded=math.floor))
        self._mark = dealt(chance, MARKS)
        self._length = dealt(chance, spread(5.0, least=1))
        self._holds_mark = dealt(chance, yes(0.129))
        self._is_list = dealt(chance, yes(0.302))
        self._is_inner_list = dealt(chance, yes(0.2))
        self._items = dealt(chance, by_shares({2: 0.408, 3: 0.366, 4: 0.152, 5: 0.073}))

    def words(self, count: int) -> str:
        """So many words."""
        return " ".join(self._chance.choices(WORDS, k=count))

    def text(self) -> str:
        """A text in which some words are marked."""
        parts = [self.words(self._plain())]
        for _ in range(self._marks()):
            parts += (self._marked(), self.words(self._plain()))
        return f"<text>\n{' '.join(parts)} \n</text>\n"

    def description(self) -> str:
        """A text or a list."""
        inside = self._list(self._is_inner_list) if self._is_list() else self.text()
        return f"<description>\n{inside}</description>\n"

    def _marked(self) -> str:
        mark = self._mark()
        if not self._holds_mark():
            return f"<{mark}> {self.words(self._length())} </{mark}>"
        inner = MARKS[MARKS.index(mark) - self._chance.choice((1, 2))]  # one of the other two
        before, inside = self.words(self._length()), self.words(self._length())
        return f"<{mark}> {before} <{inner}> {inside} </{inner}> </{mark}>"

    def _list(self, is_list: Callable[[], bool]) -> str:
        items = "".join(
            f"<listitem>\n{self._list(_never) if is_list() else self.text()}</listitem>\n"
            for _ in range(self._items())
        )
        return f"<parlist>\n{items}</parlist>\n"


def _never() -> bool:
    return False  # a list in a list in a list is not in the original
