"""Places in the arrays of the tokenizer, and the numbers that stand for kinds, modes and mistakes."""

# What a token is. START and END are of elements; an ATTRIBUTE and text are spans of the input.
START, END, ATTRIBUTE, TEXT, CODED_TEXT, CDATA_TEXT, MEANT = range(7)
"""CODED_TEXT has references or carriage returns, and is not yet what it says. MEANT is an attribute that
another parser found: its value is what it says."""

# State, an array of int64.
(
    POSITION,
    DEPTH,
    MODE,
    TOKENS,
    NAMES,
    NAME_BYTES,
    ERROR,
    ERROR_AT,
    SEARCHED,
    QUOTE,
    ROOTS,
    TAGS,
    STATE_SIZE,
) = range(13)
"""POSITION: the first byte that is not consumed. SEARCHED: how far an unfinished tag was looked through for
its end, and QUOTE the quote that is open there. TAGS: how many start tags there were."""

# Where the tokenizer is between two chunks.
CONTENT, IN_COMMENT, IN_INSTRUCTION, IN_CDATA, IN_DOCTYPE = range(5)

# Why it returns.
NEED_BYTES, FULL, WRONG, NEED_ROOM = range(4)
"""FULL: of tokens or names. NEED_ROOM: for what is made of the tokens."""

# Classes of bytes, as bits.
SPACE, NAME, NAME_START, PLAIN = 1, 2, 4, 8

# What is wrong.
(
    NO_ERROR,
    BAD_CHARACTER,
    BAD_UTF8,
    BAD_NAME,
    BAD_TAG,
    BAD_END_TAG,
    BAD_ATTRIBUTE,
    TWICE,
    LESS_THAN,
    BAD_REFERENCE,
    CDATA_END,
    BAD_COMMENT,
    BAD_MARKUP,
    OUTSIDE,
    SECOND_ROOT,
    TOO_DEEP,
    BAD_INSTRUCTION,
    LATE_DOCTYPE,
) = range(18)
