"""Places in the arrays of the tokenizer, and the numbers that stand for kinds, modes and mistakes."""

# What a token is. START and END are of elements; an ATTRIBUTE and text are spans of the input.
START, END, ATTRIBUTE, MEANT, LISTED, TEXT, CODED_TEXT, CDATA_TEXT = range(8)
"""CODED_TEXT has references or carriage returns, and is not yet what it says. MEANT is an attribute that
another parser found: its value is what it says. LISTED is one whose type is a list of words: of blanks, only
one between two words counts."""

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
    NEEDS_CARE,
    DECLARATIONS,
    SPELLED,
    SPELLED_END,
    HAS_LISTED,
    LONGEST_TAG,
    HEARD,
    STATE_SIZE,
) = range(20)
"""POSITION: the first byte that is not consumed. SEARCHED: how far an unfinished tag was looked through for
its end, and QUOTE the quote that is open there. TAGS: how many start tags there were. NEEDS_CARE: whether
any name so far has to do with namespaces, or attributes have types, and HAS_LISTED: whether they have.
DECLARATIONS: how many of namespaces are in force. SPELLED: where a namespace is written that was not written
so before. LONGEST_TAG: how many bytes a tag may have. HEARD: as many elements are open with the outermost
whose text is asked for; 0 if there is none."""

# Where the tokenizer is between two chunks.
CONTENT, IN_COMMENT, IN_INSTRUCTION, IN_CDATA, IN_DOCTYPE = range(5)

# Why it returns.
NEED_BYTES, FULL, WRONG, NEED_ROOM, NEW_SPELLING = range(5)
"""FULL: of tokens or names. NEED_ROOM: for what is made of the tokens. NEW_SPELLING: of a namespace."""

# What is known of a name. A name in a namespace is a name of its own, beside the one as it is written.
NONE = -1
PREFIX, LOCAL, DECLARES, BOUND, LAST_NAMESPACE, RESOLVED, WRITTEN, NAMESPACE, EXPANDED, FACTS = range(10)
"""PREFIX and LOCAL: the names on both sides of the colon. DECLARES: the prefix that an attribute of this name
binds. BOUND: the namespace that it stands for as a prefix. LAST_NAMESPACE: in which it was used last, and
RESOLVED: the name that it was there. Of a name in a namespace: WRITTEN, NAMESPACE, and EXPANDED, which is the
same for all names that mean the same."""
MISPLACED = -2
"""In the place of PREFIX: the colon is where none may be. In the place of DECLARES: `xmlns` itself."""
NO_PREFIX = 0
"""The name of no letters, which the default namespace is bound to."""
MEANS = 0
"""Of a spelling: the namespace that it means."""
NO_NAMESPACE, XML_NAMESPACE, XMLNS_NAMESPACE = range(3)
LISTED_OF = 1 << 30
"""In the place of a namespace, with the number of an element: attributes of this name there are lists. BOUND
is then whether that holds in the document at hand."""

# A short name as words: its bytes, which of them count, and how many there are; 0, if it is not short.
FIRST_WORD, SECOND_WORD, FIRST_MASK, SECOND_MASK, LETTERS, WORDS = range(6)

# What is asked of elements with a name, as bits. Of others, nothing is told.
ITSELF, ITS_TEXT, ITS_CHILDREN = 1, 2, 4
ALL_OF_IT = ITSELF | ITS_TEXT | ITS_CHILDREN

# A declaration in force: what the prefix was bound to before, and how many elements were open.
DECLARED, FORMER, DECLARED_AT, DECLARATION_SIZE = range(4)

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
    BAD_COLON,
    NO_SUCH_PREFIX,
    TWICE_MEANT,
    BAD_DECLARATION,
    UNBINDING,
    TOO_LONG,
) = range(24)
