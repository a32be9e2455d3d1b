# %% [markdown]
# # A feed in XML
# Sensors report in XML: which rooms got hot after their window was closed, and stayed closed? A tree
# pattern makes events of the messages, and a query finds the rooms.

# %% [markdown]
# ## The feed
# Two thousand messages: windows that are opened and closed, degrees, and now and then a status that says
# nothing.

# %%
import random
import xml.etree.ElementTree as ET
from datetime import datetime, timedelta
from pathlib import Path

import cepheid


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
            state = dice.choice(["open", "closed"])
            body = f'<sensor kind="window"/><room>{room}</room><state>{state}</state>'
        else:
            degrees = round(dice.gauss(23, 2.5), 1)
            body = f'<sensor kind="heat"/><room>{room}</room><value unit="C">{degrees}</value>'
        lines.append(f'  <message sent="{now.isoformat()}">{body}</message>')
    path.write_text("\n".join([*lines, "</feed>"]))


feed = Path("feed.xml")
write_feed(feed)
print("\n".join(feed.read_text().splitlines()[:4]))

# %% [markdown]
# ## Messages become events
# `/feed/message[/sensor]` are the messages that have a sensor. Paths below a message say where its time,
# its type and its other columns are. The file is read once, and never held as a tree.

# %%
events = cepheid.xml("/feed/message[/sensor]").events(
    feed,
    time="@sent",
    type="sensor/@kind",
    columns={"room": "room", "state": "state", "degrees": "value[@unit = 'C']"},
)
print(events.slice(0, 3).to_pandas().to_string(index=False))

# %% [markdown]
# ## The query
# A window is closed, it is not opened, and the room gets hot within half an hour.

# %%
PATTERN = """
PATTERN SEQ(window shut, ~window opened, heat hot)
WHERE   skip_till_next_match {
            [room] AND shut.state = 'closed' AND opened.state = 'open' AND hot.degrees > 27 }
WITHIN  30 min
"""
RETURN = "RETURN hot.room AS room, shut.time AS closed, hot.time AS hot, hot.degrees AS degrees"
hot_rooms = cepheid.query(PATTERN + RETURN).run(events, time="time", type="type")
print(f"{events.num_rows:,} events, {len(hot_rooms)} times a room got hot behind a closed window")
for row in list(hot_rooms)[:3]:
    print(f"  room {row['room']}: {row['degrees']} °C at {row['hot']:%H:%M} (closed {row['closed']:%H:%M})")

# %% [markdown]
# ## The same by hand
# A plain loop with Python's own parser finds the same, and shows what the query saves.


# %%
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
            found |= {
                (room, since, sent) for since in closed.get(room, []) if sent - since <= timedelta(minutes=30)
            }
            closed[room] = []  # each closing is told with the first heat after it
    return found


assert {(row["room"], row["closed"], row["hot"]) for row in hot_rooms} == hot_rooms_by_hand(feed)
print("a loop over the messages finds the same")

# %% [markdown]
# ## The picture
# The first matches, on a lane for each room.

# %%
cepheid.query(PATTERN).run(events, time="time", type="type").timeline(by="room", most=6)
