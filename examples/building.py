"""A building that is watched: four subscriptions over the events of its sensors, filtered together."""

from __future__ import annotations

import json
from collections import Counter

import cepheid
from cepheid.sources.generate import sensors

PROFILES = {
    "hot at night": cepheid.profile(
        """
        PATTERN Temperature t
        WHERE   [office] AND t.value > 26 AND (hour(t.time) >= 22 OR hour(t.time) < 6)
        RETURN  t.office AS office, t.value AS degrees
        """,
        once="8 hours",
    ),
    "silent sensor": cepheid.profile(
        "PATTERN SILENCE OF Reading r FOR 30 min WHERE [sensor] RETURN r.sensor AS sensor, r.value AS battery"
    ),
    "cold and damp": cepheid.profile(
        """
        PATTERN AND(Temperature t, Humidity h)
        WHERE   [laboratory] AND t.value < 15 AND h.value > 70
        WITHIN  30 min
        RETURN  t.laboratory AS laboratory, t.value AS degrees, h.value AS percent
        """,
        consume="unique",
    ),
    "break-in": cepheid.profile(
        """
        PATTERN SEQ(WindowBroken w, Presence p)
        WHERE   [office]
        WITHIN  10 min
        RETURN  w.office AS office, w.time AS broken, p.time AS entered
        """,
        select={"p": "first"},
    ),
}


def main() -> None:
    building = cepheid.profiles(PROFILES)
    told = building.run(sensors(150_000, seed=1), time="time", type="type").table.to_pylist()
    seen: Counter[str] = Counter()
    for row in told:
        seen[row["profile"]] += 1
        if seen[row["profile"]] == 1:
            what = ", ".join(f"{name} {value}" for name, value in json.loads(row["match"]).items())
            print(f"{row['time']:%a %H:%M}  {row['profile']}: {what}")
    for name in PROFILES:
        print(f"{name}: told {seen[name]} times")


if __name__ == "__main__":
    main()
