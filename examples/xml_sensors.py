"""Sensors that report in XML: which rooms got hot after their window was closed, and stayed closed?

A small feed is written to a file. A tree pattern makes events of its messages, a query finds the rooms, and a
plain loop with Python's own parser finds them again.
"""

import random
import xml.etree.ElementTree as ET
from datetime import datetime, timedelta
from pathlib import Path

import cepheid

MESSAGES = cepheid.xml("/feed/message[/sensor]")
HOT_ROOMS = cepheid.query("""
PATTERN SEQ(window shut, ~window opened, heat hot)
WHERE   skip_till_next_match {
            [room] AND shut.state = 'closed' AND opened.state = 'open' AND hot.degrees > 27 }
WITHIN  30 min
RETURN  hot.room AS room, shut.time AS closed, hot.time AS hot, hot.degrees AS degrees
""")
LIMIT = timedelta(minutes=30)


def write_feed(path: Path, messages: int = 2_000, rooms: int = 8, seed: int = 3) -> None:
    dice = random.Random(seed)
    now = datetime(2024, 7, 1, 8)
    lines = ["<feed>"]
    for number in range(messages):
        now += timedelta(seconds=dice.randint(20, 90))
        room = dice.randrange(rooms)
        if number % 50 == 0:
            body = "<status>all well</status>"
        elif dice.random() < 0.4:
            body = (
                f'<sensor kind="window"/><room>{room}</room><state>{dice.choice(["open", "closed"])}</state>'
            )
        else:
            degrees = round(dice.gauss(23, 2.5), 1)
            body = f'<sensor kind="heat"/><room>{room}</room><value unit="C">{degrees}</value>'
        lines.append(f'  <message sent="{now.isoformat()}">{body}</message>')
    path.write_text("\n".join([*lines, "</feed>"]))


def hot_rooms_by_hand(path: Path) -> set[tuple[int, datetime, datetime]]:
    found = set()
    closed: dict[int, list[datetime]] = {}  # since when each room's window was told to be closed
    for message in ET.parse(path).getroot():
        if message.find("sensor") is None:
            continue
        sent = datetime.fromisoformat(message.get("sent"))
        room = int(message.findtext("room"))
        if message.find("sensor").get("kind") == "window":
            if message.findtext("state") == "closed":
                closed.setdefault(room, []).append(sent)
            else:
                closed[room] = []
        elif float(message.findtext("value")) > 27:
            found |= {(room, since, sent) for since in closed.get(room, []) if sent - since <= LIMIT}
            closed[room] = []  # each closing is told with the first heat after it
    return found


def main() -> None:
    feed = Path("feed.xml")
    write_feed(feed)
    events = MESSAGES.events(
        feed,
        time="@sent",
        type="sensor/@kind",
        columns={"room": "room", "state": "state", "degrees": "value[@unit = 'C']"},
    )
    matches = HOT_ROOMS.run(events, time="time", type="type")
    print(f"{events.num_rows:,} events, {len(matches)} times a room got hot behind a closed window")
    for row in list(matches)[:3]:
        print(
            f"  room {row['room']}: {row['degrees']} °C at {row['hot']:%H:%M} (closed {row['closed']:%H:%M})"
        )
    assert {(row["room"], row["closed"], row["hot"]) for row in matches} == hot_rooms_by_hand(feed)
    print("a loop over the messages finds the same")


if __name__ == "__main__":
    main()
