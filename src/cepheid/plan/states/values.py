"""The values that a plan needs, each listed once: columns, run slots, constants, remembered values."""

from dataclasses import dataclass, field
from typing import TypeVar

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.pattern.types import ValueType, type_of
from cepheid.plan.program import Apply, Capture, Column, Load, Remembered, Slot, Source, TextFunction

T = TypeVar("T")


@dataclass(slots=True)
class ValueTable:
    """Collects the values of a plan as its conjuncts are lowered; equal ones share a place."""

    schema: EventSchema
    columns: list[Column] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    constants: list[tuple[object, ValueType]] = field(default_factory=list)
    remembered: list[Remembered] = field(default_factory=list)
    text_functions: list[TextFunction] = field(default_factory=list)

    def column(self, expression: ex.Expression, kind: ValueType | None = None) -> Load:
        """The value of an expression over Elements, of the event at hand."""
        kind = kind or type_of(expression, self.schema)
        return Load(Source.COLUMN, _place(self.columns, Column(expression, kind)), kind)

    def slot(self, position: int, capture: Capture, expression: ex.Expression | None) -> Load:
        """What a run remembers of the events of a position."""
        if capture is Capture.MEAN:
            return self._mean(position, expression)
        if expression is None:
            kind, column = ValueType.INT, None
        else:
            load = self.column(expression)
            column = load.index
            kind = ValueType.INT if capture is Capture.COUNT else load.type
        slot = Slot(position, capture, column, kind)
        return Load(Source.SLOT, _place(self.slots, slot), kind)

    def nth(self, position: int, ordinal: int, expression: ex.Expression) -> Load:
        """A value of the n-th event of a position."""
        load = self.column(expression)
        slot = Slot(position, Capture.NTH, load.index, load.type, ordinal=ordinal)
        return Load(Source.SLOT, _place(self.slots, slot), load.type)

    def distinct(self, position: int, expression: ex.Expression) -> Load:
        """How many different values the events of a position have: each is looked for among those before."""
        load = self.column(expression)
        kept = self.remember(position, load)
        slot = Slot(position, Capture.DISTINCT, load.index, ValueType.INT, remembered=kept.index)
        return Load(Source.SLOT, _place(self.slots, slot), ValueType.INT)

    def _mean(self, position: int, expression: ex.Expression | None) -> Load:
        assert expression is not None
        total = self.slot(position, Capture.SUM, expression)
        count = self.slot(position, Capture.COUNT, expression)
        slot = Slot(position, Capture.MEAN, None, ValueType.FLOAT, (total.index, count.index))
        return Load(Source.SLOT, _place(self.slots, slot), ValueType.FLOAT)

    def constant(self, value: object, kind: ValueType) -> Load:
        """A literal; equality of constants is of value and type."""
        for index, (known, known_kind) in enumerate(self.constants):
            if known_kind is kind and known == value and type(known) is type(value):
                return Load(Source.CONSTANT, index, kind)
        self.constants.append((value, kind))
        return Load(Source.CONSTANT, len(self.constants) - 1, kind)

    def remember(self, position: int, value: Load) -> Load:
        """A value that the buffer keeps with each event of a position."""
        index = _place(self.remembered, Remembered(position, value))
        return Load(Source.NODE, index, value.type)

    def text_function(self, name: str, arguments: tuple[str | int, ...] = ()) -> int:
        """A function of text, known to the kernel as a table from code to value."""
        return _place(self.text_functions, TextFunction(name, arguments))

    def as_float(self, value: Load | Apply) -> Load | Apply:
        """The same value as float64, converted ahead of the kernel where that is possible."""
        if value.type is ValueType.FLOAT:
            return value
        if isinstance(value, Load) and value.source is Source.COLUMN:
            return self.column(self.columns[value.index].expression, ValueType.FLOAT)
        if isinstance(value, Load) and value.source is Source.CONSTANT:
            known = self.constants[value.index][0]
            return self.constant(None if known is None else float(known), ValueType.FLOAT)  # type: ignore[arg-type]
        return Apply("float", (value,), ValueType.FLOAT)


def _place(known: list[T], item: T) -> int:
    if item not in known:
        known.append(item)
    return known.index(item)
