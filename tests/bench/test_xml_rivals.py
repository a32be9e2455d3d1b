"""Other libraries beside Cepheid: one that cannot be measured says which step failed."""

from __future__ import annotations

import pytest

from cepheid.bench.xml import rivals
from cepheid.bench.xml.documents import library
from cepheid.bench.xml.sides import CEPHEID
from cepheid.bench.xml.sizes import TINY


def _broken(*_: object) -> None:
    raise ImportError("no such symbol")


def _unreadable(*_: object) -> object:
    def run() -> int:
        raise ValueError("no such path")

    return run


@pytest.mark.parametrize(
    ("side", "message"),
    [
        (_broken, "importing it failed: ImportError: no such symbol"),
        (_unreadable, "reading the document failed: ValueError: no such path"),
    ],
)
def test_a_step_that_fails_is_named(side: object, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rivals.SIDES, rivals.PYGIXML, side)
    assert rivals.measured_alone(rivals.PYGIXML, "none.xml", 1) == {rivals.SKIPPED: message}
    monkeypatch.setitem(rivals.SIDES, CEPHEID, side)
    with pytest.raises((ImportError, ValueError)):
        rivals.measured_alone(CEPHEID, "none.xml", 1)


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "find_spec", lambda name: None)
    monkeypatch.setattr(
        rivals,
        "in_fresh_process",
        lambda measurement, **_: {"rows": 1, "seconds": 1.0, "before": 0, "peak_resident": 1},
    )
    with library(TINY) as ground:
        section = rivals.rivals(ground)
    assert [row["side"] for row in section.rows] == [CEPHEID, rivals.LXML]
    assert [figure.note for figure in section.figures if figure.value == "not measured"] == [
        f"it is not installed: pip install {name} adds it" for name in rivals.OPTIONAL
    ]
