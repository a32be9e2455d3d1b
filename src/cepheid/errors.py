"""What can go wrong, as one tree.

    CepheidError
    ├── QueryError            the query is wrong, before any data moves; knows where
    │   ├── QuerySyntaxError      it does not parse
    │   ├── QueryCheckError       it parses, but means nothing (wrong type, …)
    │   │   ├── UnknownAttributeError     it names what the stream does not have
    │   │   └── TimeUnitError             a duration has a unit and time has none, or the reverse
    │   └── UnsupportedError      it means something that no engine can run yet
    ├── BindingError          the stream does not fit: no such time column, not a time, …
    ├── EventError            an event is late or bad, and the caller asked to fail on it
    ├── LimitError            a stated limit was reached (matches, state, query size)
    │   └── StepRefusedError      by a call of a session, which is as it was before that call
    ├── SnapshotError         a snapshot is of another query, another format, or damaged
    ├── XmlError              a document is not well-formed; knows at which byte and line
    ├── SourceError           a file is missing, unreadable or of an unknown kind
    └── MissingExtraError     an optional dependency is not installed

    CepheidWarning            nothing failed, but it may not be what was meant
    └── UnusedWarning         most events of a session were late or bad

Every message says what is wrong and what to do instead.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a query's text, as character offsets."""

    start: int
    end: int


class CepheidError(Exception):
    """The root of all errors that Cepheid raises on purpose."""

    def _render_traceback_(self) -> list[str]:
        """What notebooks show: the user's own lines and the message, without what lies below them."""
        if os.environ.get("CEPHEID_TRACEBACK"):
            return "".join(traceback.format_exception(self)).splitlines()
        lines = [
            f"{_place(frame.filename)}, line {frame.lineno}\n    {(frame.line or '').strip()}"
            for frame in traceback.extract_tb(self.__traceback__)
            if not _is_ours(frame.filename) and not _is_of_notebook(frame.filename)
        ]
        return [*lines, f"{type(self).__name__}: {self}"]


class CepheidWarning(UserWarning):
    """Nothing failed, but it may not be what was meant: no event of a type, every event bad, …"""


class UnusedWarning(CepheidWarning):
    """Most events of a session were late or bad."""


@dataclass(frozen=True, slots=True)
class UsersLine:
    """A line of the user that called us, as Python's warnings know it."""

    filename: str
    lineno: int
    module: str | None
    registry: dict[str | tuple[str, type[Warning], int], int]  # what was told there already


def users_line() -> UsersLine:
    """The line that called us."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    told = frame.f_globals.setdefault("__warningregistry__", {})
    return UsersLine(frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__"), told)


def warn(message: str, kind: type[CepheidWarning] = CepheidWarning, line: UsersLine | None = None) -> None:
    """Warn at the line of the user that called us, or at one that called us before."""
    at = users_line() if line is None else line
    warnings.warn_explicit(message, kind, at.filename, at.lineno, at.module, at.registry)


_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _is_ours(filename: str) -> bool:
    return filename.startswith(_OURS)


def _is_of_notebook(filename: str) -> bool:
    """Whether a frame is of the machinery that runs cells."""
    return f"{os.sep}IPython{os.sep}" in filename


def _place(filename: str) -> str:
    """Where a line is: a cell's own file has a name that says nothing."""
    is_cell = filename.startswith("<ipython-input") or "ipykernel_" in filename
    return "a cell" if is_cell else f"File {filename}"


class QueryError(CepheidError):
    """The query itself is wrong; `str()` shows the line with a caret where the text is known."""

    def __init__(
        self,
        message: str,
        *,
        span: Span | None = None,
        text: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.text = text
        self.hint = hint

    def with_text(self, text: str) -> QueryError:
        """The same error, able to point into the query's text."""
        if self.text is None:
            self.text = text
        return self

    @property
    def line(self) -> int | None:
        """1-based line of the error, where it is known."""
        if self.span is None or self.text is None:
            return None
        return self.text.count("\n", 0, self.span.start) + 1

    @property
    def column(self) -> int | None:
        """1-based column of the error, where it is known."""
        if self.span is None or self.text is None:
            return None
        return self.span.start - (self.text.rfind("\n", 0, self.span.start) + 1) + 1

    def __str__(self) -> str:
        parts = [self.message]
        if self.span is not None and self.text is not None:
            parts = [f"line {self.line}, column {self.column}: {self.message}", self._caret()]
        if self.hint:
            parts.append(self.hint)
        return "\n".join(parts)

    def _caret(self) -> str:
        assert self.span is not None and self.text is not None
        begin = self.text.rfind("\n", 0, self.span.start) + 1
        end = self.text.find("\n", self.span.start)
        line = self.text[begin : len(self.text) if end < 0 else end]
        offset = self.span.start - begin
        width = max(1, min(self.span.end, begin + len(line)) - self.span.start)
        line, offset, width = _clip(line, offset, width)
        lead = "".join("\t" if ch == "\t" else " " for ch in line[:offset])
        return f"  {line}\n  {lead}{'^' * width}"


def _clip(line: str, offset: int, width: int, limit: int = 100) -> tuple[str, int, int]:
    """Division a very long line around the place that matters."""
    if len(line) <= limit:
        return line, offset, width
    start = max(0, offset - limit // 2)
    clipped = ("…" if start else "") + line[start : start + limit] + "…"
    return clipped, offset - start + (1 if start else 0), min(width, limit // 2)


class QuerySyntaxError(QueryError):
    """The text does not parse."""


class QueryCheckError(QueryError):
    """The text parses, but what it says has no meaning over this stream."""


class UnknownAttributeError(QueryCheckError):
    """The query names an attribute that the stream does not have."""

    def __init__(self, attribute: str, *, span: Span | None = None, hint: str | None = None) -> None:
        super().__init__(f"the stream has no attribute '{attribute}'", span=span, hint=hint)
        self.attribute = attribute


class TimeUnitError(QueryCheckError):
    """A duration has a unit and the times of the stream have none, or the reverse."""


class UnsupportedError(QueryError):
    """No engine runs this construct yet; the message names the construct."""


class BindingError(CepheidError):
    """The stream's columns do not fit what was said about them."""


class EventError(CepheidError):
    """An event is late or bad, and `on_late` or `on_bad` is "fail"."""


class LimitError(CepheidError):
    """A stated limit was reached; the message says how to bound the query.

    Of many profiles, `profile` is the one that takes at least half of it, if there is one.
    """

    profile: str | None = None


class StepRefusedError(LimitError):
    """A call of a session has too many rows; the session is as it was before the call."""


class XmlError(CepheidError):
    """A document is not well-formed, or passes a stated limit."""

    def __init__(self, offset: int, line: int, message: str) -> None:
        super().__init__(f"byte {offset:,}, line {line:,}: {message}")
        self.offset, self.line = offset, line


class SnapshotError(CepheidError):
    """The snapshot cannot be resumed here."""


class SourceError(CepheidError):
    """A file cannot be read or written."""


class MissingExtraError(CepheidError):
    """An optional part is not installed; the message names the extra."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part: pip install 'cepheid[{extra}]'")
