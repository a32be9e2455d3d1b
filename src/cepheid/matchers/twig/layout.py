"""Places in the arrays of the transducer, and the numbers that stand for kinds and states."""

NONE = -1

# How a step looks for its elements, and what it asks of one.
CHILDREN, BELOW, HERE_OR_BELOW = range(3)
NTH, LAST = range(2)

# A step of the plan: a row of int64, with three sets of steps behind it: those that look from its elements at
# their children, below them, and at themselves too. All else of the plan stands in one array, `code`; a test,
# an automaton, an item or a comparison is the place where it begins. The tests of a step stand one after the
# other, by kind; each range ends where the next one begins. IS_TEST: nothing is returned from here on down,
# and no run of siblings takes it.
(
    ABOVE,
    REACH,
    VARIABLE,
    LETTER,
    AUTOMATON,
    ASKED,
    POSITION_BITS,
    WANTS_TEXT,
    IS_TEST,
    ATTRIBUTE_TESTS,
    VALUE_TESTS,
    POSITION_TESTS,
    SIBLING_TESTS,
    TESTS_END,
    STEP_SIZE,
) = range(15)

# A test.
PLACE, TARGET, AGAINST, KIND, TEST_SIZE = range(5)
"""PLACE: its bit among the tests of its step. TARGET: an automaton, a position, or which of the names that
are asked of attributes. AGAINST: a comparison, or NONE."""

# An automaton, and an item of it. The items that may follow stand in `order`, the preferred first.
OWNER, FIRST_ITEM, ITEMS, START_SET, START_ORDER, START_END, CHILD_LETTERS, AUTOMATON_SIZE = range(8)
ITEM_STEP, FOLLOW_SET, ACCEPTING, FOLLOW_ORDER, FOLLOW_END, ITEM_SIZE = range(6)

# A comparison with a constant: a text, a number between two bounds, or what is no number.
OPERATOR, SORT, FROM, TO, LOW, HIGH, IS_EVEN, COMPARISON_SIZE = range(8)
A_TEXT, A_NUMBER, NO_NUMBER = range(3)
EQUAL, UNEQUAL, LESS, LESS_OR_EQUAL, MORE, MORE_OR_EQUAL = range(6)

# A bound of what is rounded to a number: 0.digits times ten to the POINT.
SIGN, POINT, DIGITS, DIGITS_END, BOUND_SIZE = range(5)

# State, an array of int64. Behind it there are the innermost open standing of each step, and a set of steps.
KINDS = STANDINGS, READERS, KIDS, TAKEN, ATTEMPTS, WATCHES = tuple(range(6))
FREE = 0
(
    USED,
    NEEDED,
    FREE_ROW,
    USED_ROWS,
    WAITING_ROWS,
    OFFSET,
    TOP,
    NEXT_TOKEN,
    MET,
    TOUCHED,
    STIRRED,
    TOLD,
    TEXT_SIZE,
    TEXT_HELD,
    VALUE_SIZE,
    ATTRIBUTES,
    TEXT_USERS,
    QUEUED,
    LOOK,
    DEAD,
    STATE_SIZE,
) = range(6, 27)
"""FREE: of each kind of records, those that were given back. USED: how far the heap is used, and NEEDED: how
much more the last look needed. OFFSET: of the first byte at hand. TOP: the innermost layer. MET,
TOUCHED, STIRRED: lists of standings, readers and rows that have to be followed up. QUEUED: children that are
not read yet. TEXT_HELD: up to where rows have texts. LOOK: the number of the last look. DEAD: a list of
standings that nobody refers to."""

# A layer of the execute stack: an element whose end tag has not come.
(
    NAME,
    START,
    OPENED,
    FIRST_KID,
    TEXT_FROM,
    VALUES_FROM,
    VALUES_TO,
    VALUE_BEGIN,
    DEPTH,
    HAS_READERS,
    IS_RETURNED,
    LAYER_SIZE,
) = range(12)
"""OPENED: its standings, FIRST_KID: what it is as a child of readers, DEPTH: how many elements are
open around it, also such as nobody looks at."""

# A standing. NEXT is the first place in all records.
NEXT = 0
(
    STEP,
    BEGIN,
    LAYER,
    UNMET,
    COUNTED,
    STATE,
    UP,
    KID,
    OUTER,
    OUTERMOST,
    READER,
    WAITING,
    USES,
    MET_BITS,
    MET_NEXT,
    LOOKED,
    ACTIVE,
    FINAL,
    FINAL_OUTWARD,
    WAY_NEXT,
    WAY_BEFORE,
    FOUND,
) = range(1, 23)
OUTWARD, STANDING_SIZE = FOUND + 10, FOUND + 20
"""FOUND: what its ways up say, and OUTWARD: those of it and all further out."""
UNDECIDED, HOLDS, FAILS = range(3)

# A reader: the SiblingFA over the children of one element.
(
    FA,
    READER_OWNER,
    READER_PLACE,
    CURRENT,
    OUTER_KID,
    FIRST,
    UNREAD,
    LAST_KID,
    READ,
    FIRST_ATTEMPT,
    RELEVANT,
    TOUCHED_NEXT,
    IS_TOUCHED,
    READER_SIZE,
) = range(1, 15)
"""FIRST: the first child that is not placed, UNREAD: the first that is not read, READ: how many were."""

# A child in the eyes of one reader.
(
    KID_READER,
    KID_START,
    UNKNOWN,
    HITS,
    POSSIBLE,
    IS_CLOSED,
    CHOSEN,
    RUN,
    KID_WAITING,
    KID_USES,
    KID_PLACE,
    NEXT_OF_ELEMENT,
    KID_SIZE,
) = range(1, 14)
NOT_CHOSEN, NOBODY = -1, -2
TOLD_ALREADY = -2
"""In the place of BEFORE: this child was told, and what is taken after it is a root."""

# A child that a reading takes: a node of the tree of all readings of an attempt.
ITEM, TAKEN_PLACE, BEFORE, FIRST_AFTER, NEXT_BESIDE, LAST_BESIDE, HELD, TAKEN_SIZE = range(1, 9)
"""HELD: how many times it is a thread or the best."""

# An attempt: the readings that begin at one child. NEXT is the attempt after it.
ATTEMPT_BEGIN, ATTEMPT_RUN, THREADS, BEST, ROOTS, ROOT_COUNT, NEXT_TOLD, ATTEMPT_SIZE = range(1, 9)
"""ROOTS: how its first child that is not told may be taken, linked by NEXT_BESIDE."""

# A row that is not certain yet; where it stands, follows behind its size.
(
    ROW_VARIABLE,
    ROW_NAME,
    ROW_START,
    ROW_END,
    ROW_TEXT,
    ROW_TEXT_END,
    ROW_VALUES,
    ROW_VALUES_END,
    WATCHED,
    STIRRED_NEXT,
    IS_STIRRED,
    STANDS,
    ROW_SIZE,
) = range(1, 14)

# What a row waits for: a standing, or ~ of a child.
THING, WATCHER, THING_NEXT, THING_BEFORE, WATCH_SIZE = range(1, 6)

# A row that is told.
(
    TOLD_MATCH,
    TOLD_VARIABLE,
    TOLD_PARENT,
    TOLD_RUN,
    TOLD_NAME,
    TOLD_START,
    TOLD_END,
    TOLD_TEXT,
    TOLD_TEXT_END,
    TOLD_VALUES,
    TOLD_VALUES_END,
    TOLD_SIZE,
) = range(12)

# An attribute of a row: its name, and where its value stands.
ATTRIBUTE_NAME, VALUE_FROM, VALUE_TO, ATTRIBUTE_SIZE = range(4)

# What the ways up from a standing say.
IS_POSSIBLE, IS_CERTAIN, IS_FINAL = range(3)
MATCH_LEAST, MATCH_MOST, PARENT_LEAST, PARENT_MOST, RUN_LEAST, RUN_MOST, PROSPECT_SIZE = range(3, 10)
FAR = 1 << 62
ONE_WAY, ITEM_WAY, ALL_WAYS, HEAP_BEGIN = range(0, 4 * PROSPECT_SIZE, PROSPECT_SIZE)
"""Places on the heap, in front of all records, to reckon with prospects."""

SIZES = (STANDING_SIZE, READER_SIZE, KID_SIZE, TAKEN_SIZE, ATTEMPT_SIZE, WATCH_SIZE)
BY_MATCH, BY_PARENT, BY_RUN = 1, 2, 4

WORD = 62
"""How many steps a word of a set has."""
