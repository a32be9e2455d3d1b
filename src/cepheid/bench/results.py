"""What a benchmark found: figures with their bars, and tables with what is drawn from them."""

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number that was promised, beside what was measured; `met` is None where no bar applies."""

    name: str
    bar: str
    value: str
    met: bool | None
    note: str = ""

    @property
    def verdict(self) -> str:
        """Whether the bar was met, in a word."""
        return {True: "met", False: "not met", None: "–"}[self.met]


def at_most(name: str, most: float, value: float, note: str) -> Figure:
    """A ratio that should be small."""
    return Figure(name, f"at most {most:g}×", f"{value:.2f}×", value <= most, note)


def at_least(name: str, least: float, value: float, note: str) -> Figure:
    """A ratio that should be large."""
    return Figure(name, f"at least {least:g}×", f"{value:.2f}×", value >= least, note)


def no_bar(name: str, value: str, note: str = "", bar: str = "–") -> Figure:
    """A figure that has no bar to meet."""
    return Figure(name, bar, value, None, note)


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of a section's rows: what goes along, up, and tells lines apart."""

    x: str
    y: str
    colour: str | None = None
    kind: str = "line"  # or "bar"
    log_y: bool = False
    from_zero: bool = True
    title: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One experiment: what it asks, a table, pictures of it, and the figures it yields."""

    title: str
    text: str
    rows: tuple[Row, ...] = ()
    charts: tuple[Chart, ...] = ()
    figures: tuple[Figure, ...] = ()
    drawn: tuple[Row, ...] = ()  # where pictures need more rows than the table shows

    @property
    def chart_rows(self) -> tuple[Row, ...]:
        """The rows that pictures are drawn from."""
        return self.drawn or self.rows


@dataclass(frozen=True, slots=True)
class Report:
    """All sections of one run of a benchmark."""

    title: str
    mode: str
    sections: tuple[Section, ...]
    seconds: float
    machine: Mapping[str, str] = field(default_factory=lambda: machine())
    processor: float = 0.0  # seconds of all processes

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(figure for section in self.sections for figure in section.figures)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def machine() -> dict[str, str]:
    """What the numbers were measured on."""
    from importlib.metadata import version

    import numba
    import numpy
    import pyarrow

    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cepheid": version("cepheid"),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": numpy.__version__,
        "pyarrow": pyarrow.__version__,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return f"{names[0]} × {len(names)}" if names else platform.processor() or "unknown"
