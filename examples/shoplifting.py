# %% [markdown]
# # Shoplifting, seen by RFID
# Which items left the shop without passing the register? A sequence with an absence in it: what did not
# happen is part of the pattern.

# %% [markdown]
# ## The events
# Every item has a tag. Readers at the shelves, at the registers and at the exits tell which tag they saw,
# and when.

# %%
from datetime import datetime

import cepheid

READINGS = [
    ("2024-05-01T09:00", "Shelf", 1, "wine"),
    ("2024-05-01T09:05", "Shelf", 2, "books"),
    ("2024-05-01T09:20", "Register", 1, "till 4"),
    ("2024-05-01T09:22", "Exit", 1, "north"),
    ("2024-05-01T09:40", "Exit", 2, "south"),
    ("2024-05-01T10:00", "Shelf", 3, "wine"),
]
readings = [
    {"ts": datetime.fromisoformat(ts), "reader": reader, "tag": tag, "place": place}
    for ts, reader, tag, place in READINGS
]

# %% [markdown]
# ## The query
# A shelf, then an exit, of one tag, with no register between them. `~` says *none*, and `[tag]` holds for
# the absent event too: somebody else's payment does not count.

# %%
QUERY = """
PATTERN SEQ(Shelf s, ~Register r, Exit e)
WHERE   skip_till_next_match { [tag] }
WITHIN  12 hours
"""
stolen = cepheid.query(QUERY).run(readings, time="ts", type="reader")
for match in stolen:
    shelf, left = match["s"], match["e"]
    print(f"tag {shelf['tag']} from the {shelf['place']} shelf left unpaid at {left['ts']:%H:%M}")

# %% [markdown]
# Tag 1 was paid for, and tag 3 is still in the shop.
#
# ## Why not tag 1?
# `why` says what stopped a match from being one.

# %%
print(cepheid.query(QUERY).why(readings, time="ts", type="reader", around="2024-05-01T09:22"))

# %% [markdown]
# ## The picture
# The match as a span over its events; the other readings are drawn faintly.

# %%
stolen.timeline(events=readings)
