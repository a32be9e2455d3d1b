"""What counting with ordered indexes remembers, and where each number stands.

An index is a binary tree over the bits of values: a node tells the values below it apart by the highest bit
in which they differ, so that all to its left are smaller. Each node has the sum of the cells below it. A
leaf and the node that came with it share a row; a place is twice the row, and one more for the leaf.
"""

from typing import NamedTuple

import numpy as np

Ints = np.ndarray  # int64
Words = np.ndarray  # uint64

# a row of sides: a column of events that is compared, and what it holds
SIDE_COLUMN, SIDE_KIND = 0, 1
SIDE_WIDTH = 2

# the values of an event: as a word that is ordered as the value is, and whether there is one
WORD, KNOWN = 0, 1
SIDES_WIDTH = 2
IS_NULL, IS_VALUE, IS_NO_NUMBER = 0, 1, 2

# a row of indexes: of which step's events, by which value, and whether with those that are no number
OF_STEP, BY_SIDE, WITH_NO_NUMBER = 0, 1, 2
INDEX_WIDTH = 3

# a row for each link to a step before: its index, if there is a condition, what it asks for, and of what
INDEX, WANTS, WITH_SIDE = 0, 1, 2
LINK_WIDTH = 3
LESS, EQUAL, GREATER = 1, 2, 4
"""What a condition asks of the earlier event's value; several may do."""

# a row of trees, one for each start and index: the place at its top, and the last row that it took
TOP, NEWEST = 0, 1
TREE_WIDTH = 2

# a row of nodes
BIT, LEFT, RIGHT, TAKEN_BEFORE = 0, 1, 2, 3
NODE_WIDTH = 4

# what is free
FREE_NODE, FREE_NODES = 0, 1

NODES_FULL = 7
"""Why a kernel stopped, besides the reasons that all have."""


class Comparisons(NamedTuple):
    """The conditions between neighbours, as kernels read them."""

    sides: Ints
    indexes: Ints
    links: Ints  # beside those of `AggregateTables`


class Trees(NamedTuple):
    """The indexes of all starts."""

    tops: Ints
    nodes: Ints
    values: Words  # of the leaf in each row of nodes
    sums: Words  # the cell at each place
    free: Ints
