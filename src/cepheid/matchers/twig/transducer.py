"""One pass over the tokens of a document (the paper's algorithm ESMA), without backtracking.

The execute stack has a layer for each open element: the steps that are looked for among its children (CS1 in
the paper) and anywhere below it (CS2), as bit sets, and what stands at the element itself and is not reduced
yet (RS). A start tag makes standings for the steps that want its name. Its end tag reduces them: what is not
met by then never will be, but for positions, which the parent's end tag decides at the latest. Memory is the
depth of the document, and what is undecided.
"""

from __future__ import annotations

from typing import NamedTuple

from cepheid.matchers.twig.prospects import Outlook
from cepheid.matchers.twig.siblings import SiblingReader
from cepheid.matchers.twig.standing import FAILS, HOLDS, UNDECIDED, Child, OpenElement, Standing, TwigRow
from cepheid.matchers.twig.tables import BELOW, CHILDREN, HERE_OR_BELOW, TwigTables, compares
from cepheid.plan.twig.plan import TestKind

Attributes = list[tuple[str, str]]


class ToldRow(NamedTuple):
    """A row that is certain; parent and run are -1 where there is none."""

    match: int
    parent: int
    run: int
    row: TwigRow


class Transducer:
    """Finds the rows of a plan in one document."""

    def __init__(self, tables: TwigTables) -> None:
        self._tables = tables
        self._nearest: list[Standing | None] = [None] * len(tables.above)  # the innermost open one of a step
        self._met: list[tuple[Standing, int]] = []  # tests that were met, and are not followed up yet
        self._stirred: list[TwigRow] = []  # rows that waited for something that is decided now
        self._touched: list[SiblingReader] = []  # readers that may be able to go on
        self._narrowed: list[Child] = []
        self._texts: list[str] = []
        self._text_users = 0
        self._open = self._document()
        self.told: list[ToldRow] = []

    # ------------------------------------------------------------ tokens

    def start(self, tag: str, start: int, attributes: Attributes) -> None:
        """A start tag."""
        tables, parent = self._tables, self._open
        element = OpenElement(tag, start, parent.depth + 1, attributes, parent)
        for above in parent.standings:
            for reader in above.readers.values():
                element.as_child.append((reader, reader.add(start)))
        wanted = (parent.wanted_children | parent.wanted_below) & tables.wanted_by(tag)
        element.wanted_below = parent.wanted_below
        while wanted:
            step = (wanted & -wanted).bit_length() - 1
            wanted &= wanted - 1
            self._stand(step, element)
            wanted |= tables.here[step]
        self._open = element
        for standing in element.standings:
            self._begin(standing, element)
        self._follow_up()
        self._miss_other_items(element)
        self._look_again()

    def text(self, text: str) -> None:
        """Character data of the innermost open element."""
        if self._text_users:
            self._texts.append(text)

    def end(self, end: int) -> None:
        """The end tag of the innermost open element."""
        element = self._open
        parent = element.parent
        assert parent is not None
        text = self._text_of(element)
        self._reduce(element, text)
        self._open = parent
        self._close_as_child(element)
        self._make_rows(element, end, text)
        if parent.parent is None:
            self._reduce(parent, "")
        self._look_again()

    # ------------------------------------------------------------ a start tag

    def _document(self) -> OpenElement:
        """The layer at the bottom: the document stands at step 0."""
        document = OpenElement("", -1, 0, [], None)
        standing = Standing(0, document, self._tables.asked[0])
        standing.state = HOLDS
        document.standings.append(standing)
        self._nearest[0] = standing
        self._look_for(0, standing, document)
        return document

    def _look_for(self, step: int, standing: Standing, element: OpenElement) -> None:
        """What a step looks for in its element: other steps, and runs of children."""
        tables = self._tables
        element.wanted_children |= tables.children[step]
        element.wanted_below |= tables.below[step]
        for place in tables.siblings[step]:
            fa = tables.plan.automata[tables.plan.steps[step].tests[place].target]
            standing.readers[fa.number] = SiblingReader(fa, standing, place, self._narrowed)

    def _stand(self, step: int, element: OpenElement) -> None:
        """An element may stand at a step, seen from the nearest standing of the step above."""
        tables = self._tables
        standing = Standing(step, element, tables.asked[step])
        up = self._nearest[tables.above[step]]
        if up is not None and up.depth == element.depth and tables.reach[step] != HERE_OR_BELOW:
            up = up.outer
        assert up is not None
        if tables.automaton[step] >= 0:
            standing.holds_in = self._as_item(step, up)
        else:
            standing.up = up
        outer = standing.outer = self._nearest[step]
        standing.outermost = standing if outer is None else outer.outermost
        self._nearest[step] = standing
        element.standings.append(standing)
        self._look_for(step, standing, element)

    def _as_item(self, step: int, nearest: Standing) -> list[tuple[Standing, SiblingReader, Child]]:
        """The children that the element is, or is in, of whoever has a sibling expression with this item."""
        automaton, is_below = self._tables.automaton[step], self._tables.reach[step] == BELOW
        found: list[tuple[Standing, SiblingReader, Child]] = []
        up: Standing | None = nearest
        while up is not None:
            reader = up.readers[automaton]
            assert reader.current is not None
            found.append((up, reader, reader.current))
            up = up.outer if is_below else None
        return found

    def _begin(self, standing: Standing, element: OpenElement) -> None:
        """What a start tag says of a standing."""
        tables = self._tables
        step = standing.step
        tests = tables.plan.steps[step].tests
        if tables.wants_text[step] and element.text_from < 0:
            element.text_from = len(self._texts)
            self._text_users += 1
        for place in tables.attributes[step]:
            if tables.has_attribute(tests[place], element.attributes):
                self._met.append((standing, place))
            else:
                self._fail(standing)
        self._count(standing)

    def _miss_other_items(self, element: OpenElement) -> None:
        """Items that take a child by its own tag, and want another tag."""
        present = sum(1 << standing.step for standing in element.standings)
        for reader, child in element.as_child:
            for letter, step in self._tables.child_letters[reader.fa.number]:
                if not present >> step & 1:
                    child.unknown &= ~(1 << letter)
            self._touched.append(reader)
        self._follow_up()

    # ------------------------------------------------------------ an end tag

    def _text_of(self, element: OpenElement) -> str:
        """The string-value of an element, if somebody wanted it."""
        if element.text_from < 0:
            return ""
        text = "".join(self._texts[element.text_from :])
        self._text_users -= 1
        if not self._text_users:
            self._texts.clear()
        return text

    def _reduce(self, element: OpenElement, text: str) -> None:
        """All children have come: what is not met now, but for positions, is never met."""
        while element.lasts:
            self._met += [(standing, place) for (_, place), standing in element.lasts.items()]
            element.lasts.clear()
            self._follow_up()
        for standing in reversed(element.standings):
            step = standing.step
            for reader in standing.readers.values():
                reader.go_on()
                reader.finish()
                self._touched.append(reader)
            for place in self._tables.values[step]:
                against = self._tables.plan.steps[step].tests[place].against
                if against is not None and compares(text, against):
                    self._met.append((standing, place))
            self._follow_up()
            if standing.unmet & ~self._tables.position_bits[step]:
                self._fail(standing)
                self._follow_up()
            self._nearest[step] = standing.outer

    def _close_as_child(self, element: OpenElement) -> None:
        """No item finds anything more in this child, unless the child itself waits for its position."""
        waiting = {standing.step for standing in element.standings if standing.state == UNDECIDED}
        for reader, child in element.as_child:
            child.is_closed = True
            child.unknown &= sum(
                1 << letter for letter, step in enumerate(reader.fa.steps) if step in waiting
            )
            self._touched.append(reader)
        self._follow_up()

    def _make_rows(self, element: OpenElement, end: int, text: str) -> None:
        """A row for each variable that the element may be returned for."""
        places: dict[int, list[Standing]] = {}
        for standing in element.standings:
            variable = self._tables.variable[standing.step]
            if variable >= 0 and standing.state != FAILS:
                places.setdefault(variable, []).append(standing)
        self._stirred += [TwigRow(variable, found, element, end, text) for variable, found in places.items()]

    # ------------------------------------------------------------ what is met, and what follows

    def _follow_up(self) -> None:
        """Follow what was met upwards through the pattern, until nothing new is met."""
        while self._met or self._touched:
            if not self._met:
                self._read_on(self._touched.pop())
                continue
            standing, place = self._met.pop()
            if standing.unmet >> place & 1:
                standing.unmet &= ~(1 << place)
                self._count(standing)

    def _read_on(self, reader: SiblingReader) -> None:
        """Let a reader take the children that are known; its expression holds with the first run."""
        reader.go_on()
        if reader.has_run:
            self._met.append((reader.owner, reader.place))
            reader.has_run = False
        for child in self._narrowed:
            self._stir(child)
        self._narrowed.clear()

    def _count(self, standing: Standing) -> None:
        """A position is known once all tests before it are met; a standing holds once all tests are met."""
        places = self._tables.positions[standing.step]
        while standing.counted < len(places):
            place = places[standing.counted]
            if standing.unmet & ((1 << place) - 1):
                return
            standing.counted += 1
            parent, key = standing.parent, (standing.step, place)
            assert parent is not None
            test = self._tables.plan.steps[standing.step].tests[place]
            if test.kind is TestKind.LAST:
                earlier = parent.lasts.get(key)
                parent.lasts[key] = standing
                if earlier is not None:
                    self._fail(earlier)
                return
            parent.counts[key] = parent.counts.get(key, 0) + 1
            if parent.counts[key] != test.target:
                standing.counted = len(places)
                self._fail(standing)
                return
            standing.unmet &= ~(1 << place)
        if not standing.unmet:
            self._hold(standing)

    def _hold(self, standing: Standing) -> None:
        """A standing holds: whoever asked from above hears of it."""
        if standing.state != UNDECIDED:
            return
        standing.state = HOLDS
        self._stir(standing)
        letter = self._tables.letter[standing.step]
        for _, reader, child in standing.holds_in:
            child.hits |= child.unknown & (1 << letter)
            child.unknown &= ~(1 << letter)
            self._touched.append(reader)
        up = standing.up
        if up is not None and self._tables.reach[standing.step] == CHILDREN:
            self._met.append((up, letter))
            return
        while up is not None and up.unmet >> letter & 1:  # where it is met, it is met further out too
            self._met.append((up, letter))
            up = up.outer

    def _fail(self, standing: Standing) -> None:
        """A standing fails, and so does the item whose child it is; one that it is only in may hold yet."""
        if standing.state != UNDECIDED:
            return
        standing.state = FAILS
        self._stir(standing)
        step = standing.step
        for up, reader, child in standing.holds_in:
            is_child = up.depth + 1 == standing.depth
            if is_child and (child.is_closed or self._tables.reach[step] == CHILDREN):
                child.unknown &= ~(1 << self._tables.letter[step])
                self._touched.append(reader)

    # ------------------------------------------------------------ rows

    def _stir(self, thing: Standing | Child) -> None:
        """More is known of something: the rows that wait for it look again."""
        for row in thing.waiting:
            row.watched.discard(thing)
        self._stirred += thing.waiting
        thing.waiting.clear()

    def _look_again(self) -> None:
        """Tell the rows that are certain now, and forget those that cannot be."""
        while self._stirred:
            row = self._stirred.pop()
            if row.is_done:
                continue
            found = Outlook(self._tables, row).look()
            if found.is_told:
                self.told.append(ToldRow(found.match_most, found.parent_most, found.run_most, row))
            row.is_done = found.is_told or not found.is_possible
            if row.is_done:
                for thing in row.watched:
                    del thing.waiting[row]
                row.watched.clear()
