"""Random profiles and streams through HTTP tell what the oracle does.

python -m tests.service.truth --cases 200
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cepheid.language.sase.parse import parse
from cepheid.pattern.durations import parse_duration
from tests.cases.loose import LooseCase, LooseProfile, random_loose_case
from tests.oracle import profile_rows
from tests.service.serving import Hours, RunningService, iso, serving

SECONDS = re.compile(r"(WITHIN|FOR|EVERY) (\d+)")


def check_case(service: RunningService, seed: int, since: datetime) -> int:
    """Fail unless every profile of a case tells what the oracle does; how much that is.

    The last event but one closes all windows, and so does the last one for it; what that one brings about is
    left out on both sides.
    """
    rng = random.Random(f"service-{seed}")
    case = random_loose_case(rng)
    end, beyond = since + timedelta(seconds=60), since + timedelta(seconds=120)
    events = [_event(each, since) for each in case.events] + [{"time": end, "type": "Z"}]
    service.send({"time": iso(events[0]["time"]), "type": "Z"})  # profiles start where a table's would
    ids = {name: _made(service, each) for name, each in case.profiles.items()}
    for piece in _pieces([*events, {"time": beyond, "type": "Z"}], rng):
        answer = service.send(*({**each, "time": iso(each["time"])} for each in piece))
        assert answer == {"accepted": len(piece), "late": [], "bad": []}
    number = 0
    for name, each in case.profiles.items():
        expected = [_plain(row) for row in _of_oracle(events, each)]
        rows = [row for row in service.told(ids[name]) if row["time"] <= iso(end)]
        found = [_plain(row["match"]) for row in rows]
        assert found == expected, f"seed {seed}, {name}\n{_shown(case)}"
        assert len({row["match_id"] for row in rows}) == len(rows)
        number += len(found)
        service.client.delete(f"/profiles/{ids[name]}")
    return number


def _event(event: Mapping[str, Any], since: datetime) -> dict[str, Any]:
    """An event as JSON can hold it, which has no times: they become texts that nobody takes for times."""
    plain = {name: _text(value) for name, value in event.items()}
    return plain | {"time": since + timedelta(seconds=event["time"])}


def _text(value: Any) -> Any:
    return f"on {value:%d %B}" if isinstance(value, datetime) else value


def _query(each: LooseProfile) -> str:
    return SECONDS.sub(r"\1 \2 s", each.text)


def _once(each: LooseProfile) -> str | None:
    once = each.parameters["once"]
    return once if once in (None, "ever") else f"{once} s"


def _made(service: RunningService, each: LooseProfile) -> str:
    return service.profile(_query(each), **each.parameters | {"once": _once(each)})


def _of_oracle(events: list[dict[str, Any]], each: LooseProfile) -> list[Any]:
    once = _once(each)
    terms = each.parameters | {"once": once if once in (None, "ever") else parse_duration(once)}
    return profile_rows(parse(_query(each)), events, **terms, time="time", type="type")


def _pieces(events: list[dict[str, Any]], rng: random.Random) -> list[list[dict[str, Any]]]:
    pieces = []
    while events:
        size = rng.choice((1, 1, 2, 4, 20))
        pieces.append(events[:size])
        events = events[size:]
    return pieces


def _plain(value: Any) -> Any:
    """A value by which others can be told from it: Python has 1 and True equal. Nulls are no values."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bool):
        return f"{value}"
    return iso(value.astimezone(UTC)) if isinstance(value, datetime) else value


def _shown(case: LooseCase) -> str:
    return str(case)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--cases", type=int, default=200)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    hours, number = Hours(), 0
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), "--idle", "1 day") as service:
        for seed in range(given.seed, given.seed + given.cases):
            number += check_case(service, seed, hours.fresh())
    print(json.dumps({"cases": given.cases, "matches": number}))


if __name__ == "__main__":
    main()
