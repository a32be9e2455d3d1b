"""Where each value stands in the arrays that the pool's kernels read and write."""

from typing import NamedTuple

import numpy as np

NONE = -1

# a row of primitives: its tests beyond what it is found by, and its places
TESTS, TESTS_END, PLACES, PLACES_END = 0, 1, 2, 3
PRIMITIVE_WIDTH = 4

# a row of tests, in postfix order; one that must be true has MUST added to its OPERATION
OPERATION, COLUMN, FROM, TO = 0, 1, 2, 3
TEST_WIDTH = 4
INSIDE, SAME_TEXT, LIKE, BELOW, NOT_ABOVE, AND, OR, NOT = 0, 1, 2, 3, 4, 5, 6, 7
MUST = 16

# of a value of a column: null, there, or no number, which no comparison holds for
NULL, VALUE, NAN = 0, 1, 2

# a row of links: the places after and before this one in the list of a slot; 2 * the primitive whose place it
# is + whether that has tests; the slot, or ~leaf of a tree of ranges. A walk along a list needs one line of a
# cache for each
NEXT, BEFORE, OWNER, SLOT = 0, 1, 2, 3
LINK_WIDTH = 4

# a row of what is waited for: how often a primitive was inserted and not removed, and its places
TIMES, FIRST_PLACE, END_PLACE = 0, 1, 2
WAITED_WIDTH = 3

# counters
SIZE, INSERTED, REMOVED, TESTED, FOUND = 0, 1, 2, 3, 4
COUNTERS = 5

# a row of groups: what its keys are keys of
GROUP_KIND, GROUP_COLUMN = 0, 1
GROUP_WIDTH = 2
ALL, EQUAL, EQUAL_TEXT, ALIKE = 0, 1, 2, 3

# a row of trees, and how many entries a node has
TREE_COLUMN, ROOT = 0, 1
TREE_WIDTH = 2
FANOUT = 8

# a row of entries: the least key at or below it, the greatest of what is waited for there, where it leads:
# to the first entry below it or, if it is a leaf, to ~(2 * its primitive + whether that has tests)
LOW, PEAK, LEADS_TO = 0, 1, 2
ENTRY_WIDTH = 3
STACK = 256

# the sizes of grams, and how many of them there are at most; where a search has come to
GRAM_SIZES = 6
TEXT, LAST_TEXT, LISTED, STAMP = 0, 1, 2, 3
SEARCH_WIDTH = 4

# a row of watches: the pattern that is verified where a gram is found, and the next watch of the gram
WATCHED, NEXT_WATCH = 0, 1

# bytes that no text has: they stand before and behind it
TEXT_BEGIN, TEXT_END = 0xFE, 0xFF

# and two that stand for the wildcards of a LIKE pattern
ANY_RUN, ANY_ONE = 0xFC, 0xFD


class PoolTables(NamedTuple):
    """What an index is made of. It does not change while events come."""

    primitives: np.ndarray  # int32 [primitive, PRIMITIVE_WIDTH]
    tests: np.ndarray  # int64 [test, TEST_WIDTH]
    places: np.ndarray  # int32 [place]: a slot, or ~leaf of a tree of ranges

    text_starts: np.ndarray  # int64 [text + 1]: of the texts that are compared with
    text_bytes: np.ndarray  # uint8
    text_table: np.ndarray  # int64 [·, 2]: hash, text
    like_starts: np.ndarray  # int64 [pattern + 1]
    like_symbols: np.ndarray  # uint8

    groups: np.ndarray  # int32 [group, GROUP_WIDTH]
    group_starts: np.ndarray  # int32 [type + 1], into group_list
    group_list: np.ndarray  # int32: the groups of each type, one type after the other; type 0 is any
    slots: np.ndarray  # int64 [·, 2]: key, group and slot

    trees: np.ndarray  # int32 [tree, TREE_WIDTH], one type after the other
    tree_starts: np.ndarray  # int32 [type + 1]
    entries: np.ndarray  # int64 [entry, ENTRY_WIDTH]: of trees in which nothing is waited for
    highs: np.ndarray  # int64 [entry]: the greatest key of a leaf
    parents: np.ndarray  # int32 [entry]: the entry that it is below

    grams: np.ndarray  # int64 [·, 2]: hash of a gram and its column, its first watch
    gram_bits: np.ndarray  # uint64: a bit for each gram, by its hash
    gram_sizes: np.ndarray  # uint8 [column, GRAM_SIZES + 1]: the sizes of its grams, and then 0
    watches: np.ndarray  # int32 [watch, 2]


class PoolState(NamedTuple):
    """Which primitives are waited for."""

    waited: np.ndarray  # int32 [primitive, WAITED_WIDTH]
    heads: np.ndarray  # int32 [slot]: its first place
    links: np.ndarray  # int32 [place, LINK_WIDTH]
    entries: np.ndarray  # int64 [entry, ENTRY_WIDTH]
    stack: np.ndarray  # int32 [STACK]: nodes still to be looked at
    counters: np.ndarray  # int64 [COUNTERS]


class PoolEvents(NamedTuple):
    """A batch of events as the pool reads it."""

    types: np.ndarray  # int32 [event]: its type, if some primitive has it, or NONE
    keys: np.ndarray  # int64 [column, event]: numbers in their order; of a text its number in the batch
    states: np.ndarray  # uint8 [column, event]: NULL, VALUE or NAN
    text_starts: np.ndarray  # int64 [text + 1]: of the distinct texts of the batch
    text_bytes: np.ndarray  # uint8
    text_codes: np.ndarray  # int32 [text]: which of the index's texts it is, or NONE
    like_starts: np.ndarray  # int64 [text + 1]
    likes: np.ndarray  # int32: the patterns that each text is like, of those that are indexed
    found_starts: np.ndarray  # int64 [event + 1]
    found: np.ndarray  # int32: the slots that the events have something to look for in


class PatternGrams(NamedTuple):
    """Patterns of LIKE for which grams are to be chosen."""

    starts: np.ndarray  # int64 [pattern + 1]
    symbols: np.ndarray  # uint8
    patterns: np.ndarray  # int64 [k]
    columns: np.ndarray  # int64 [k]: each with the column that it is for
    counts: np.ndarray  # int32 [a power of two]: by the hash of a gram, how many patterns have it
    seen: np.ndarray  # int32 [a power of two]: by the hash of a gram, how often texts had it
    chosen: np.ndarray  # int64 [k]: the hash of the gram
    sizes: np.ndarray  # uint8 [k]: its size, 0 if the pattern has no byte
    rates: np.ndarray  # int64 [k]: how often texts had it
