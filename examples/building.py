# %% [markdown]
# # A building that is watched
# Four subscriptions over the events of a building's sensors: too hot at night, a sensor that fell silent,
# cold and damp, and a break-in. Each wants to be told in its own way, and all are filtered together.

# %% [markdown]
# ## The subscriptions
# A profile is a query with parameters that say which of its matches are worth telling: `once` is silent for
# a while after each, `consume` uses an event for one match only, and `select` takes the first event that
# fits.

# %%
import json
from collections import Counter

import cepheid
from cepheid.sources.generate import sensors

PROFILES = {
    "hot at night": cepheid.profile(
        """
        PATTERN Temperature t
        WHERE   [office] AND t.value > 26 AND (hour(t.time) >= 22 OR hour(t.time) < 6)
        RETURN  t.office AS office, t.value AS degrees
        """,
        once="8 hours",
    ),
    "silent sensor": cepheid.profile(
        "PATTERN SILENCE OF Reading r FOR 30 min WHERE [sensor] RETURN r.sensor AS sensor, r.value AS battery"
    ),
    "cold and damp": cepheid.profile(
        """
        PATTERN AND(Temperature t, Humidity h)
        WHERE   [laboratory] AND t.value < 15 AND h.value > 70
        WITHIN  30 min
        RETURN  t.laboratory AS laboratory, t.value AS degrees, h.value AS percent
        """,
        consume="unique",
    ),
    "break-in": cepheid.profile(
        """
        PATTERN SEQ(WindowBroken w, Presence p)
        WHERE   [office]
        WITHIN  10 min
        RETURN  w.office AS office, w.time AS broken, p.time AS entered
        """,
        select={"p": "first"},
    ),
}

# %% [markdown]
# ## A set of profiles
# A set looks at each event once, however many profiles it has. The first notification of each, and how many
# there were:

# %%
events = sensors(150_000, seed=1)
building = cepheid.profiles(PROFILES).run(events, time="time", type="type")
seen: Counter[str] = Counter()
for row in building.table.to_pylist():
    seen[row["profile"]] += 1
    if seen[row["profile"]] == 1:
        what = ", ".join(f"{name} {value}" for name, value in json.loads(row["match"]).items())
        print(f"{row['time']:%a %H:%M}  {row['profile']}: {what}")
for name in PROFILES:
    print(f"{name}: told {seen[name]} times")

# %% [markdown]
# ## The picture
# Broken windows and who came after, by office. The same profiles stand behind HTTP in the notification
# service.

# %%
break_ins = cepheid.profile(
    "PATTERN SEQ(WindowBroken w, Presence p) WHERE [office] WITHIN 10 min", select={"p": "first"}
)
break_ins.run(events, time="time", type="type").timeline(by="office", most=6)
