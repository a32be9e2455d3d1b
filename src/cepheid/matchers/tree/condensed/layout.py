"""Where each value stands in the rows of groups and of their members.

A group is a row of the tree's composites: what all of its members agree on, so that conditions can be tested
on it. A member stands for all composites that a *range* on each of its sides can make together. A range is
the newest member that belongs to it and a floor: it goes back through the older ones of that group as far as
they completed after the floor.

The first rows are not groups, one for each node: there an event is tried. A *fleeting* leaf, the right side
of a SEQ, has no other row: nothing ever looks for what came before, so its members need no group.
"""

NONE = -1
NO_FLOOR = -1

# a group, beside the row of the same number
NEWEST, NEXT, HASH = 0, 1, 2  # its newest member; another group of the same hash
# where its lists of numbers begin, their size and their room: of what completed before, and of what is new at
# an event
OLD_AT, OLD_SIZE, OLD_ROOM, NEW_AT, NEW_SIZE, NEW_ROOM, NEW_EVENT = range(3, 10)
GROUP_WIDTH = 10

# a member; of an event by itself POSITION is its variable, of any other member NONE
GROUP, OLDER, SKIP, DEPTH = 0, 1, 2, 3  # the member before it in its group, and one further back
LEFT, LEFT_FLOOR, RIGHT, RIGHT_FLOOR = 4, 5, 6, 7
EVENT, POSITION, STORED, IDENTITY = 8, 9, 10, 11  # when it completed; two words of identity
LAST_AT = 13  # the first variable that the event which completed it is bound to
YOUNGEST, BEST = 14, 15  # its latest beginning; the latest from itself back through its group
SIZE, SIZES = 16, 17  # how many composites it stands for, about; and with all older ones: bits of reals
MEMBER_WIDTH = 18
