"""The patterns that all peers are asked for, by name: what an alert on a stream of trades would look for.

QA next    an A, then the next B of the symbol at a higher price, within 10 s
QA any     the same with every such B
QB         an A above 800, then the next B above it, then the next C below it, within 10 s of the A

Each gives a row for a match: the symbol, and the times of its first and last event.
"""

PARTS = {
    "QA next": ("SEQ(A a, B b)", "skip_till_next_match", ("b.price > a.price",)),
    "QA any": ("SEQ(A a, B b)", "skip_till_any_match", ("b.price > a.price",)),
    "QB": (
        "SEQ(A a, B b, C c)",
        "skip_till_next_match",
        ("a.price > 800", "b.price > a.price", "c.price < a.price"),
    ),
}


def text_of(name: str) -> str:
    """A pattern as Cepheid reads it."""
    pattern, strategy, conditions = PARTS[name]
    last = "c" if "C c" in pattern else "b"
    holding = " AND ".join(("[symbol]", *conditions))
    return (
        f"PATTERN {pattern} WHERE {strategy} {{ {holding} }} WITHIN 10 seconds "
        f"RETURN a.symbol AS symbol, a.time AS first, {last}.time AS last"
    )


TEXTS = {name: text_of(name) for name in PARTS}
