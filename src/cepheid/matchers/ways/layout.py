"""Where each value stands in the rows of ways, and in the cursor of what walks along them."""

from __future__ import annotations

NONE = -1

# a row: an event at a variable. What comes before it is any of a chain: PREVIOUS, that one's SIBLING, …
ROW, POSITION, EVENT, PREVIOUS, SIBLING, ROOT = 0, 1, 2, 3, 4, 5  # ROW is in the store of events
IDENTITY = 6  # two words that add up along a way to the identity of its match
WAY_WIDTH = 8

# how far the listing of matches has come
GROUP, DEPTH, NEXT_START, OF_GROUP, LISTED, WRITTEN = range(6)
CURSOR_WIDTH = 6

# a level of the way that is being listed: its node, and how far its followers have been visited
AT_NODE, TARGETS, CHAIN, INDEX, SUM = 0, 1, 2, 3, 4
LEVEL_WIDTH = 6

# what the listing answers
DONE, FULL = 0, 1
