"""What is special about pandas: its index may hold the time, and a period is a stretch of time."""

from collections.abc import Iterable
from typing import Any


def is_pandas(events: Any) -> bool:
    """Whether this is a data frame of pandas, which need not be installed."""
    return type(events).__module__.split(".")[0] == "pandas" and hasattr(events, "columns")


def with_index(events: Any, names: Iterable[object]) -> Any:
    """The same events; the levels of a frame's index that are named here become columns.

    An index without a name is called `index`, as pandas calls it.
    """
    if not is_pandas(events):
        return events
    asked = [name for name in names if isinstance(name, str)]
    levels = [name for name in _level_names(events) if name in asked and name not in events.columns]
    if not levels:
        return events
    return events.rename_axis(index=_level_names(events)).reset_index(level=levels)


def times_in_index(events: Any) -> str | None:
    """The name of a level of a frame's index that holds times, if there is one."""
    if not is_pandas(events):
        return None
    for number, name in enumerate(_level_names(events)):
        if type(events.index.get_level_values(number)).__name__ in ("DatetimeIndex", "PeriodIndex"):
            return name
    return None


def _level_names(frame: Any) -> list[str]:
    return [_level_name(name, number, frame.index.nlevels) for number, name in enumerate(frame.index.names)]


def _level_name(name: object, number: int, levels: int) -> str:
    if name is None:
        return "index" if levels == 1 else f"level_{number}"
    return str(name)


def without_periods(frame: Any) -> Any:
    """The same frame with each period as the moment at which it begins, as `to_timestamp()` has it."""
    periods = [name for name, kind in frame.dtypes.items() if type(kind).__name__ == "PeriodDtype"]
    if not periods or not frame.columns.is_unique:
        return frame
    frame = frame.copy(deep=False)
    for name in periods:
        frame[name] = frame[name].dt.to_timestamp()
    return frame


def times_of_texts(events: Any, column: str) -> str:
    """The line that turns a column of ISO texts into times, for these events."""
    if is_pandas(events):
        return f'df["{column}"] = pd.to_datetime(df["{column}"])'
    if type(events).__module__.split(".")[0] == "polars":
        return f'df = df.with_columns(pl.col("{column}").str.to_datetime())'
    if isinstance(events, list | tuple):
        return f'for event in events: event["{column}"] = datetime.fromisoformat(event["{column}"])'
    cast = f'table["{column}"].cast(pa.timestamp("us"))'
    return f'table = table.drop_columns("{column}").append_column("{column}", {cast})'
