# %% [markdown]
# # A click funnel
# How many visitors go from a view to the cart, and from there to a payment? How long do they take, and
# where do they stop?

# %% [markdown]
# ## The clicks
# Visitors of a web shop who view, search, fill a cart, and pay or do not: generated, a time in seconds, a
# kind and a user.

# %%
import sys
from collections import Counter

import numpy as np
import pyarrow as pa

import cepheid

HALF_AN_HOUR = 30 * 60


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


size = next(map(int, filter(str.isdecimal, sys.argv[1:])), 200_000)
events = clicks(size)
print(f"{size:,} clicks")

# %% [markdown]
# ## The funnel
# Steps in their order, how long one may take from the first to the last, and whose steps they are.

# %%
funnel = cepheid.funnel(["view", "cart", "pay"], within="30 min", by="user")
counts = funnel.run(events, time="time", type="type", time_unit="s")
for step in counts.table.to_pylist():
    print(step)

# %% [markdown]
# ## The same by hand
# One loop over all clicks counts the same users.


# %%
def users_by_hand(clicks: pa.Table) -> Counter[str]:
    """Who ever got how far, by one loop over all clicks."""
    views: dict[int, list[int]] = {}
    carts: dict[int, list[int]] = {}  # for each cart, the view that it began with
    reached: dict[str, set[int]] = {"cart": set(), "pay": set()}
    for time, kind, user in zip(
        *(clicks[name].to_pylist() for name in ("time", "type", "user")), strict=True
    ):
        if kind == "view":
            views.setdefault(user, []).append(time)
        elif kind == "cart":
            fresh = [began for began in views.pop(user, []) if time - began <= HALF_AN_HOUR]
            if fresh:
                reached["cart"].add(user)
                carts.setdefault(user, []).extend(fresh)
        elif kind == "pay" and any(time - began <= HALF_AN_HOUR for began in carts.pop(user, [])):
            reached["pay"].add(user)
    return Counter({name: len(users) for name, users in reached.items()})


told = {row["step"]: row["count"] for row in counts.table.to_pylist()}
by_hand = users_by_hand(events)
assert {name: told[name] for name in by_hand} == dict(by_hand)
print("a loop over the clicks counts the same users")

# %% [markdown]
# ## Full carts that were left
# A query says more than a funnel: who filled a cart and did *not* pay within half an hour?

# %%
left = cepheid.query("""
    PATTERN SEQ(view v, cart c, ~pay p) WHERE skip_till_next_match { [user] }
    WITHIN 30 min RETURN v.user AS user, v.time AS began
""").run(events, time="time", type="type", time_unit="s")
print(f"{len(left):,} visits of {len(set(left.table['user'].to_pylist())):,} users ended with a full cart")

# %% [markdown]
# ## The picture

# %%
counts
