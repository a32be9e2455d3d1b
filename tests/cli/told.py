"""What commands tell, and events to try them on."""

from __future__ import annotations

import json

import pytest

from cepheid.cli.failure import status_of

TRADES = (
    "ts,kind,symbol,price\n2024-01-01T09:00,buy,A,10\n2024-01-01T09:01,sell,A,12\n2024-01-01T09:02,sell,B,9\n"
)
PAIRS = "PATTERN SEQ(buy a, sell b) WHERE [symbol] WITHIN 5 min RETURN a.price AS low, b.price AS high"


class Told:
    """What one command said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        status = status_of(arguments)
        out, err = self.capsys.readouterr()
        assert "Traceback" not in err
        return status, out, err


def rows(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]
