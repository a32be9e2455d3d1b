"""Items that left the shop without passing the register: a sequence with an absence in it."""

from __future__ import annotations

import cepheid

QUERY = """
PATTERN SEQ(Shelf s, ~Register r, Exit e)
WHERE   skip_till_next_match { [tag] }
WITHIN  12 hours
RETURN  s.tag AS tag, s.place AS place, e.time AS left
"""

READINGS = [
    ("2024-05-01T09:00", "Shelf", 1, "wine"),
    ("2024-05-01T09:05", "Shelf", 2, "books"),
    ("2024-05-01T09:20", "Register", 1, "till 4"),
    ("2024-05-01T09:22", "Exit", 1, "north"),
    ("2024-05-01T09:40", "Exit", 2, "south"),
    ("2024-05-01T10:00", "Shelf", 3, "wine"),
]


def main() -> None:
    from datetime import datetime

    events = [
        {"ts": datetime.fromisoformat(ts), "reader": reader, "tag": tag, "place": place}
        for ts, reader, tag, place in READINGS
    ]
    for match in cepheid.query(QUERY).run(events, time="ts", type="reader"):
        print(f"tag {match['tag']} from the {match['place']} shelf left unpaid at {match['left']:%H:%M}")


if __name__ == "__main__":
    main()
