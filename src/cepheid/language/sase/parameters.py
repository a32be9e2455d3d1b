"""`$name` in a query: a literal whose value is given with the text. What is given is never parsed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from cepheid.errors import QueryCheckError, QueryError, QuerySyntaxError, Span
from cepheid.expressions import Literal
from cepheid.pattern.literals import literal_of, nearest


class Parameters:
    """The values that were given, and which of them a text has used."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = {name: self._literal(name, value) for name, value in given.items()}
        self.used: set[str] = set()

    @staticmethod
    def _literal(name: str, value: Any) -> Literal:
        literal = literal_of(value)
        if literal is None:
            raise QueryCheckError(
                f"the parameter ${name} cannot be a {type(value).__name__}",
                hint="a parameter is a number, a text, a truth value, a time, a duration or None",
            )
        return literal

    def value(self, name: str, span: Span) -> Literal:
        """The literal that a parameter stands for."""
        if name not in self.given:
            raise QuerySyntaxError(
                f"no value is given for ${name}",
                span=span,
                hint=nearest(name, self.given) or f"give it with the query, as in query(text, {name}=5)",
            )
        self.used.add(name)
        return Literal(self.given[name].value, span=span)

    def refuse_unused(self) -> None:
        """Every value that is given is used."""
        for name in self.given:
            if name not in self.used:
                names = ", ".join(f"${used}" for used in sorted(self.used))
                raise QueryError(
                    f"the query has no parameter ${name}",
                    hint=nearest(name, self.used) or (f"it has {names}" if names else "it has none"),
                )


_at_hand: ContextVar[Parameters] = ContextVar("parameters")


@contextmanager
def giving(parameters: Parameters) -> Iterator[None]:
    """While a text is parsed, its parameters have these values."""
    token = _at_hand.set(parameters)
    try:
        yield
    finally:
        _at_hand.reset(token)


def parameter(text: str, span: Span) -> Literal:
    """What `$name` stands for in the text that is being parsed."""
    return _at_hand.get().value(text[1:], span)
