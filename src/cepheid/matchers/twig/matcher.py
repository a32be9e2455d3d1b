"""Bytes in, rows out: the transducer as a matcher."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.compacting import compact
from cepheid.matchers.twig.kernel import read_document
from cepheid.matchers.twig.naming import AsWritten, ByNamespace, DocumentName, Naming
from cepheid.matchers.twig.rows import NO_ROWS, rows_table
from cepheid.matchers.twig.scan import layout as scanned
from cepheid.matchers.twig.scan.tables import Scan, hear_again, name_text, namespace_of
from cepheid.matchers.twig.state import NO_PLACES, new_registers, new_state, with_room
from cepheid.matchers.twig.tables import asked_by, attribute_names, step_sets, twig_tables, words_for
from cepheid.matchers.twig.values import most_bytes
from cepheid.plan.twig.plan import TwigPlan


class TwigMatcher:
    """Finds the rows of a plan in one document."""

    def __init__(
        self,
        plan: TwigPlan,
        naming: Naming | None = None,
        entities: Mapping[str, str] | None = None,
        tells_as_asked: bool = False,
        max_text: int = 1 << 40,
    ) -> None:
        """`tells_as_asked`: rows have names with the prefixes of the pattern, where it has namespaces."""
        self._plan = plan
        self.naming: Naming = naming or AsWritten()
        self._tells_as_asked, self._max_text = tells_as_asked, max_text
        self._asked = attribute_names(plan)
        self._tables = twig_tables(plan, entities or {})
        self._asked_by = asked_by(self._tables)
        places = [step.variable for step in plan.steps if step.variable >= 0]
        most = max(places.count(variable) for variable in places)
        self.state = new_state(self._tables, most, len(self._asked))
        self._names: list[str] = []

    def read(self, buffer: np.ndarray, scan: Scan, offset: int, places: np.ndarray | None) -> int:
        """Take in the tokens at hand and then the bytes that follow; why the tokenizer came to an end."""
        self.state = self.state._replace(places=NO_PLACES if places is None else places)
        self.state.state[at.OFFSET] = offset
        while True:
            why = int(read_document(self._tables, self.state, buffer, len(buffer), scan))
            if why != scanned.NEED_ROOM:
                self._check_texts(0)
                return why
            if not self._learn(scan):
                self._make_room(scan, buffer)

    def rows(self) -> pa.Table:
        """The rows that became certain since they were last asked for, in document order."""
        st = self.state.state
        table = NO_ROWS
        if st[at.TOLD]:
            self._check_told(self.state.told[: st[at.TOLD]])
            table = rows_table(self._plan, self.state, self._names)
            st[at.TOLD] = 0
        if st[at.WAITING_ROWS] == 0 and st[at.TEXT_USERS] == 0:
            st[[at.TEXT_SIZE, at.TEXT_HELD, at.VALUE_SIZE, at.ATTRIBUTES]] = 0
        return table

    def _check_told(self, told: np.ndarray) -> None:
        lengths = told[:, at.TOLD_TEXT_END] - told[:, at.TOLD_TEXT]
        if lengths.max() > self._max_text:
            raise self._too_long(int(told[lengths.argmax(), at.TOLD_START]))

    def begin_again(self) -> None:
        """Another document follows. The rows of the one before have been asked for."""
        self.state.state[:] = new_registers(self._tables)

    def name(self, number: int) -> str:
        """A name by its number."""
        return self._names[number]

    @property
    def lasts_at(self) -> int:
        """Where layers have, for each position that is asked for, the last child."""
        return self._tables.lasts_at

    @property
    def told(self) -> int:
        """How many rows, and bytes of their texts, wait to be asked for."""
        st = self.state.state
        return int(st[at.TOLD] + st[at.TEXT_SIZE] + st[at.VALUE_SIZE]) if st[at.TOLD] else 0

    def _learn(self, scan: Scan) -> bool:
        """Note for new names which steps want them, and whether tests ask for such attributes."""
        numbers = range(len(self._names), int(scan.state[scanned.NAMES]))
        new = [DocumentName(name_text(scan.names, n), namespace_of(scan.names, n)) for n in numbers]
        if not new:
            return False
        words, naming = words_for(self._plan), self.naming
        wanted = [self._wanted(each) for each in new]
        told = [
            step_sets(steps, words) + [int(naming.is_attribute(asked, each)) for asked in self._asked]
            for each, steps in zip(new, wanted, strict=True)
        ]
        scan.names.asked[numbers.start : numbers.stop] = [self._asked_of(steps) for steps in wanted]
        hear_again(scan)
        self._names += map(self._told_name, new)
        self.state = self.state._replace(names=np.concatenate([self.state.names, np.array(told, np.int64)]))
        return True

    def _wanted(self, name: DocumentName) -> list[int]:
        """The steps that want elements of a name."""
        return [step.number for step in self._plan.steps[1:] if self.naming.is_element(step.tag, name)]

    def _asked_of(self, steps: list[int]) -> int:
        """What the tokenizer has to tell of an element that these steps want; where positions count, all."""
        asked = 0 if self._tables.skips else scanned.ALL_OF_IT
        for step in steps:
            asked |= self._asked_by[step]
        return asked

    def _make_room(self, scan: Scan, buffer: np.ndarray) -> None:
        """Give room for what the next token needs, and forget texts that nobody needs, if that is enough."""
        m = self.state
        size, attributes = self._next_size(scan, buffer)
        self._check_texts(size if attributes == 1 else 0)
        st = m.state
        if st[at.TOLD] == 0 and max(st[at.TEXT_SIZE] / len(m.texts), st[at.VALUE_SIZE] / len(m.values)) > 0.5:
            compact(m)
            size += int(max(st[at.TEXT_SIZE], st[at.VALUE_SIZE]))
        self.state = with_room(self._tables, m, size, attributes)

    def _check_texts(self, more: int) -> None:
        """No open element whose text is kept may have more than it should, with what comes next."""
        st, layers = self.state.state, self.state.layers[1 : self.state.state[at.TOP] + 1]
        begun = layers[layers[:, at.TEXT_FROM] >= 0]
        if len(begun) and st[at.TEXT_SIZE] + more - begun[0, at.TEXT_FROM] > self._max_text:
            raise self._too_long(int(begun[0, at.START]))

    def _too_long(self, start: int) -> LimitError:
        return LimitError(
            f"byte {start:,}: the text of this element, which is asked for, is longer than max_text = "
            f"{self._max_text:,} bytes"
        )

    def _next_size(self, scan: Scan, buffer: np.ndarray) -> tuple[int, int]:
        """How many bytes the next token may mean, with its attributes, and how many these are."""
        kind, start, end = scan.tokens.kind, scan.tokens.start, scan.tokens.end
        first, count = int(self.state.state[at.NEXT_TOKEN]), int(scan.state[scanned.TOKENS])
        if first == count:
            return 0, 0
        last = first + 1
        while last < count and scanned.ATTRIBUTE <= kind[last] <= scanned.LISTED:
            last += 1
        size = 0
        for k in range(first, last):
            span = (int(kind[k]), int(start[k]), int(end[k]))
            size += int(most_bytes(self._tables, buffer, span))
        return size, last - first

    def _told_name(self, name: DocumentName) -> str:
        if self._tells_as_asked and isinstance(self.naming, ByNamespace) and not name.declares:
            return self.naming.as_asked(name)
        return name.written
