"""The patterns in SQL's MATCH_RECOGNIZE, as DuckDB and pandas-match-recognize read it.

It knows neighbours alone: what may lie between two events is a variable, which fits what the next one does
not. The window is a condition on the last variable, since the standard has no WITHIN.
"""

UNSAID = {"QA any": "MATCH_RECOGNIZE gives one match for each row that begins one"}

ABOVE = "(kind = 'B' AND price > A.price)"
BELOW = "(kind = 'C' AND price < A.price)"


def rows_of(name: str, table: str, window: str) -> str:
    """The query of a pattern; `window` is 10 seconds as the column of times counts them."""
    in_time = f"ts - A.ts <= {window}"
    if name == "QA next":
        pattern, last = "A X* B", "B"
        define = f"A AS kind = 'A', X AS NOT {ABOVE}, B AS {ABOVE} AND {in_time}"
    else:
        pattern, last = "A X* B Y* C", "C"
        define = (
            f"A AS kind = 'A' AND price > 800, X AS NOT {ABOVE}, B AS {ABOVE}, "
            f"Y AS NOT {BELOW}, C AS {BELOW} AND {in_time}"
        )
    return (
        f"SELECT * FROM {table} MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts "
        f"MEASURES A.ts AS first, {last}.ts AS last ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW "
        f"PATTERN ({pattern}) DEFINE {define})"
    )
