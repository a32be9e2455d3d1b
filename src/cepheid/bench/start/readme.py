"""The README's example, as a program that also tells what it compiled and what it loaded."""

EXAMPLE = '''
import cepheid

events = [
    {"ts": 1, "kind": "Shelf", "tag": 7},
    {"ts": 2, "kind": "Shelf", "tag": 8},
    {"ts": 5, "kind": "Register", "tag": 8},
    {"ts": 6, "kind": "Exit", "tag": 8},
    {"ts": 9, "kind": "Exit", "tag": 7},
]
query = cepheid.query("""
    PATTERN SEQ(Shelf s, ~Register r, Exit e)
    WHERE   skip_till_next_match { [tag] }
    WITHIN  12
    RETURN  s.tag AS tag, s.time AS taken, e.time AS left
""")
matches = query.run(events, time="ts", type="kind")
for match in matches:
    print(match["tag"], match["taken"], match["left"])
'''

ANSWER = "7 1 9"

COUNTED = """
import json, sys
counts = {"compiled": 0, "loaded": 0}
for name, module in list(sys.modules.items()):
    if name.startswith("cepheid.matchers."):
        for value in vars(module).values():
            if hasattr(value, "overloads") and value.py_func.__module__ == name:
                counts["compiled"] += sum(value.stats.cache_misses.values())
                counts["loaded"] += sum(value.stats.cache_hits.values())
print(json.dumps(counts))
"""
"""What follows the example: how many kernels were compiled and loaded, as JSON."""

WHOLE_LIST = """
from cepheid.warm_up.families import FAMILIES

for exercise in FAMILIES.values():
    exercise()
"""

PROGRAM = EXAMPLE + COUNTED
EVERYTHING = WHOLE_LIST + COUNTED
