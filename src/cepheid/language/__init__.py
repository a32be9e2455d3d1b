"""Text to patterns: the query language and, beside it, regular tree patterns."""
