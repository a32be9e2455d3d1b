"""Real profiles: rules in the style of public rule sets that detect attacks in logs.

In such sets four fifths of all comparisons are "contains", "starts with" or "ends with", the others
equalities, and a rule has several of them. Rules and the log are made of the same words, some of which are
frequent.
"""

from functools import cache

import numpy as np
import pyarrow as pa

from cepheid.bench.compas.sizes import CompasSizes
from cepheid.bench.compas.subscriptions import STREAM
from cepheid.bench.harness import measure
from cepheid.bench.results import Chart, Section, no_bar
from cepheid.profiles import ProfileSet, profile, profiles

SEED = 11
WORDS = 4_000
FIELDS = ("image", "command_line", "parent_image", "account")
PIECES = 0.8  # of the comparisons look for a piece of text
_LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def rules(sizes: CompasSizes) -> Section:
    """Events a second by the number of rules."""
    log = log_stream(sizes.log_events)
    sets = {str(count): rule_set(count) for count in sizes.rules}
    timing = measure({name: lambda of=of: of.run(log, **STREAM) for name, of in sets.items()}, sizes.repeat)  # type: ignore[misc]
    rows = []
    for name, of in sets.items():
        found = of.run(log, **STREAM)
        rows.append(
            {
                "rules": int(name),
                "comparisons": sum(len(each.constants) for each in of.profiles.values()),
                "kinds": len({each.template for each in of.profiles.values()}),
                "events/s": round(sizes.log_events / timing[name].median),
                "matches": len(found),
                "tested an event": round(found.stats["tested"] / sizes.log_events, 2),
            }
        )
    title = "Real profiles: detection rules over a log"
    return Section(
        title,
        f"Rules of one to four comparisons, four fifths of them LIKE '%piece%', 'piece%' or '%piece', the "
        f"others equalities, over {sizes.log_events:,} events of a log with {len(FIELDS)} fields of text. "
        "A run over a table; matches are not written as JSON.",
        tuple(rows),
        (Chart("rules", "events/s", log_y=True, from_zero=False, title=title),),
        tuple(
            no_bar(f"{row['rules']:,} rules over a log", f"{row['events/s']:,} events/s",
                   f"{row['comparisons']:,} comparisons, {row['matches']:,} matches")
            for row in rows
        ),
    )  # fmt: skip


@cache
def words() -> tuple[str, ...]:
    """Words of four to ten letters; the first are the frequent ones."""
    chance = np.random.default_rng(SEED)
    return tuple("".join(chance.choice(_LETTERS, size)) for size in chance.integers(4, 11, WORDS))


def _drawn(chance: np.random.Generator, count: int) -> list[str]:
    """Some words, a few of them often."""
    places = np.minimum(chance.zipf(1.3, count) - 1, WORDS - 1)
    return [words()[place] for place in places]


def log_stream(count: int) -> pa.Table:
    """A log of started programs."""
    chance = np.random.default_rng(SEED + 1)

    def joined(form: str, each: int) -> list[str]:
        drawn = _drawn(chance, each * count)
        return [form.format(*drawn[k * each : (k + 1) * each]) for k in range(count)]

    return pa.table(
        {
            "time": np.arange(count),
            "type": pa.DictionaryArray.from_arrays(np.zeros(count, np.int8), ["Started"]),
            "image": joined("/usr/{}/{}.bin", 2),
            "command_line": joined("{}.bin --{}={} -{} /tmp/{}.{} {}", 7),
            "parent_image": joined("/opt/{}/{}", 2),
            "account": joined("{}", 1),
        }
    )


def rule_set(count: int) -> ProfileSet:
    """So many rules; about half of their words are rare ones."""
    chance = np.random.default_rng(SEED + 2)
    return profiles({f"rule {k}": profile(_rule(chance)) for k in range(count)})


def _rule(chance: np.random.Generator) -> str:
    comparisons = [_comparison(chance) for _ in range(chance.integers(1, 5))]
    return f"PATTERN Started e WHERE {' AND '.join(comparisons)}"


def _comparison(chance: np.random.Generator) -> str:
    name = FIELDS[chance.integers(0, len(FIELDS))]
    piece = words()[chance.integers(WORDS // 10, WORDS)] if chance.random() < 0.7 else _drawn(chance, 1)[0]
    if chance.random() >= PIECES:
        return f"e.account = '{piece}'"
    form = ("'%{}%'", "'/usr/{}%'", "'%{}.bin'", "'%/{}%'")[chance.integers(0, 4)]
    return f"e.{name} LIKE {form.format(piece)}"
