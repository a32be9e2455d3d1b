# %% [markdown]
# # Attacks on log-ins
# Somebody fails to log in three times or more, and then succeeds: a guessed password. The events come as
# they happen, some of them late, and the program may be restarted at any time.

# %% [markdown]
# ## The query
# `fail{3,} f[]` is three failures or more, of one user, and the success comes within a minute of the first.

# %%
import pyarrow as pa

import cepheid

TEXT = """
PATTERN SEQ(fail{3,} f[], success s)
WHERE   skip_till_next_match { [user] }
WITHIN  60
"""
query = cepheid.query(TEXT + "RETURN s.user AS user, f.len AS failures, s.time AS at EMIT NON OVERLAPPING")

# %% [markdown]
# ## A session
# A session takes events as they come and gives a match the moment it is certain. `lateness=2` waits two
# seconds for events that were overtaken; what comes later still is put aside and counted. A snapshot is all
# that the session knows, in bytes: here each batch is met by a session that was just restarted.

# %%
schema = pa.schema([("ts", pa.int64()), ("kind", pa.string()), ("user", pa.string())])
BATCHES = [
    [(1, "fail", "ann"), (2, "fail", "bob"), (4, "fail", "ann"), (3, "fail", "ann")],
    [(9, "success", "ann"), (10, "fail", "bob"), (1, "fail", "late")],
    [(12, "fail", "bob"), (20, "success", "bob")],
]


def dicts(rows: list[tuple[int, str, str]]) -> list[dict[str, object]]:
    return [dict(zip(schema.names, row, strict=True)) for row in rows]


def report(matches: pa.Table) -> None:
    for row in matches.to_pylist():
        print(f"{row['user']} got in at {row['at']} after {row['failures']} failures")


session = query.session(schema, time="ts", type="kind", lateness=2)
for rows in BATCHES:
    report(session.push(dicts(rows)))
    print(f"{session.late.num_rows} late so far")
    session = cepheid.resume(query, session.snapshot())  # as if the process had been restarted
report(session.close())

# %% [markdown]
# ## An alert, once
# Many systems want a number instead: who failed three times within ten seconds? `AGG` counts matches,
# `HAVING` keeps what matters, and `ON RISE` tells it once, when it becomes so.

# %%
events = [event for rows in BATCHES for event in dicts(rows)]
alert = cepheid.query(
    "PATTERN fail f WITHIN 10 AGG COUNT AS failures GROUP BY user HAVING failures >= 3 EMIT ON RISE"
)
for row in alert.run(events, time="ts", type="kind"):
    print(f"{row['user']} failed {row['failures']} times until {row['time']}")

# %% [markdown]
# ## The picture
# Ann's failures and her success, and Bob's, on lanes by user.

# %%
attacks = cepheid.query(TEXT + "EMIT LONGEST").run(events, time="ts", type="kind")
attacks.timeline(by="user", events=events)
