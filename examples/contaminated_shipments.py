"""Every way that goods may have travelled from a contaminated site: a chain of related events."""

from __future__ import annotations

import cepheid

QUERY = """
PATTERN SEQ(Alert a, Shipment+ b[])
WHERE   skip_till_any_match {
            a.kind = 'contaminated'
            AND b[1].origin = a.site
            AND b[i].origin = b[i-1].target }
WITHIN  3 hours
RETURN  a.site AS site, collect(b.target) AS route
"""

EVENTS = [
    {"minute": 0, "type": "Alert", "kind": "contaminated", "site": "farm"},
    {"minute": 10, "type": "Shipment", "origin": "farm", "target": "mill"},
    {"minute": 20, "type": "Shipment", "origin": "port", "target": "shop"},
    {"minute": 30, "type": "Shipment", "origin": "mill", "target": "bakery"},
    {"minute": 40, "type": "Shipment", "origin": "mill", "target": "brewery"},
    {"minute": 90, "type": "Shipment", "origin": "bakery", "target": "shop"},
]


def main() -> None:
    matches = cepheid.query(QUERY).run(EVENTS, time="minute", type="type", time_unit="min")
    for match in matches:
        print(" → ".join([match["site"], *match["route"]]))


if __name__ == "__main__":
    main()
