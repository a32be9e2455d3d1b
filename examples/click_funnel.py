"""How many visits go from a view to the cart, and from there to a payment? And where do they stop?

python examples/click_funnel.py 1000000
"""

import sys
from collections import Counter

import numpy as np
import pyarrow as pa

import cepheid

HALF_AN_HOUR = 30 * 60

# A funnel with drop-out is a set of patterns: those who came as far as a step, and those who stopped there.
FUNNEL = cepheid.workload(
    {
        "put into the cart": """
            PATTERN SEQ(view v, cart c) WHERE skip_till_next_match { [user] }
            WITHIN 30 min RETURN v.user AS user, v.time AS began EMIT FIRST 1""",
        "paid": """
            PATTERN SEQ(view v, cart c, pay p) WHERE skip_till_next_match { [user] }
            WITHIN 30 min RETURN v.user AS user, v.time AS began EMIT FIRST 1""",
        "left a full cart": """
            PATTERN SEQ(view v, cart c, ~pay p) WHERE skip_till_next_match { [user] }
            WITHIN 30 min RETURN v.user AS user, v.time AS began""",
    }
)


def clicks(size: int, seed: int = 3) -> pa.Table:
    rng = np.random.default_rng(seed)
    kinds = pa.DictionaryArray.from_arrays(
        rng.choice(4, size, p=[0.6, 0.2, 0.15, 0.05]).astype(np.int32), ["view", "search", "cart", "pay"]
    )
    return pa.table(
        {
            "time": np.cumsum(rng.integers(0, 3, size)),
            "type": kinds,
            "user": rng.integers(0, max(10, size // 40), size),
        }
    )


def users_by_hand(events: pa.Table) -> Counter[str]:
    """Who ever got how far, by one loop over all clicks."""
    views: dict[int, list[int]] = {}
    carts: dict[int, list[int]] = {}  # for each cart, the view that it began with
    reached: dict[str, set[int]] = {"put into the cart": set(), "paid": set()}
    for time, kind, user in zip(
        *(events[name].to_pylist() for name in ("time", "type", "user")), strict=True
    ):
        if kind == "view":
            views.setdefault(user, []).append(time)
        elif kind == "cart":
            fresh = [began for began in views.pop(user, []) if time - began <= HALF_AN_HOUR]
            if fresh:
                reached["put into the cart"].add(user)
                carts.setdefault(user, []).extend(fresh)
        elif kind == "pay" and any(time - began <= HALF_AN_HOUR for began in carts.pop(user, [])):
            reached["paid"].add(user)
    return Counter({name: len(users) for name, users in reached.items()})


def main(size: int = 1_000_000) -> None:
    events = clicks(size)
    found = FUNNEL.run(events, time="time", type="type", time_unit="s")
    counted = {name: len(set(matches.table["user"].to_pylist())) for name, matches in found.items()}
    print(f"{size:,} clicks")
    for name, matches in found.items():
        print(f"{name:20s} {len(matches):>8,} times, {counted[name]:>7,} users")
    by_hand = users_by_hand(events)
    assert {name: counted[name] for name in by_hand} == dict(by_hand)
    print("a loop over the clicks counts the same users")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
