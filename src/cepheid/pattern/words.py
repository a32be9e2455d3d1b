"""Names in the text of queries: which words are keywords, and when a name needs backquotes."""

import re

from cepheid.pattern.query import Strategy

KEYWORDS = (
    *("pattern", "seq", "and", "or", "any", "at", "every", "silence", "of", "for", "where", "within"),
    *("return", "as", "agg", "group", "by", "emit", "not", "in", "between", "like", "is", "null"),
    *("true", "false", "events", "event", "case", "distinct"),
)

STRATEGIES = {strategy.value: strategy for strategy in Strategy}

_PLAIN = re.compile(r"[^\W\d]\w*")
_RESERVED = re.compile("|".join((*KEYWORDS, *STRATEGIES)), re.IGNORECASE)


def name_text(name: str) -> str:
    """A type or a variable as it is written in a query."""
    return name if _PLAIN.fullmatch(name) and not _RESERVED.fullmatch(name) else _backquoted(name)


def attribute_text(name: str) -> str:
    """A name where no keyword can stand: after a dot, in `[k]`, after AS and GROUP BY."""
    return name if _PLAIN.fullmatch(name) else _backquoted(name)


def _backquoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
