"""A plain loop for each recipe of the documents, which answers its question and knows nothing of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

Row = dict[str, Any]
Loop = Callable[[list[Row]], Iterable[Row]]

LOOPS: dict[str, Loop] = {}


def answers(title: str) -> Callable[[Loop], Loop]:
    """The loop that answers a recipe's question."""

    def remember(loop: Loop) -> Loop:
        LOOPS[title] = loop
        return loop

    return remember


def minutes(number: float) -> timedelta:
    return timedelta(minutes=number)


def by(rows: Iterable[Row], *keys: str) -> list[list[Row]]:
    """The rows of each key, in order."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return list(groups.values())


def first(rows: list[Row], start: int, holds: Callable[[Row], bool]) -> int | None:
    """The place of the next row that fits."""
    return next((k for k in range(start, len(rows)) if holds(rows[k])), None)


def apart(found: Iterable[list[int]]) -> Iterator[list[int]]:
    """Of places found, those that do not overlap: the earliest end, the fewest events, the earliest start."""
    end = -1
    for places in sorted(found, key=lambda p: (p[-1], len(p), p[0])):
        if places[0] > end:
            end = places[-1]
            yield places


def is_a(kind: str) -> Callable[[Row], bool]:
    return lambda row: bool(row["type"] == kind)


# ---------------------------------------------------------------- runs and shapes


@answers("Three falls in a row, then a recovery")
def three_falls(rows: list[Row]) -> Iterator[Row]:
    for days in by(rows, "symbol"):
        close = [day["close"] for day in days]
        for a in range(len(days) - 4):
            if close[a] > close[a + 1] > close[a + 2] > close[a + 3]:
                back = next((b for b in range(a + 4, len(days)) if close[b] >= close[a]), None)
                if back is not None:
                    symbol, fell, recovered = days[a]["symbol"], days[a]["time"], days[back]["time"]
                    yield {"symbol": symbol, "fell": fell, "recovered": recovered}


@answers("At least three rises in a row, each run once")
def rises(rows: list[Row]) -> Iterator[Row]:
    for readings in by(rows, "sensor"):
        run = readings[:1]
        for reading in readings[1:]:
            if reading["value"] > run[-1]["value"]:
                run.append(reading)
                continue
            if len(run) > 3:
                yield {
                    "sensor": run[0]["sensor"],
                    "since": run[0]["time"],
                    "until": run[-1]["time"],
                    "rises": len(run) - 1,
                }
            run = [reading]


@answers("A double bottom")
def double_bottom(rows: list[Row]) -> Iterator[Row]:
    for bars in by(rows, "symbol"):
        price = [bar["price"] for bar in bars]

        def back(place: int, step: int, price: list[float] = price) -> int:
            """To where the leg that ends here begins: a falling one (step -1) or a rising one (1)."""
            while place > 0 and (price[place] - price[place - 1]) * step > 0:
                place -= 1
            return place

        for turn in range(1, len(bars)):
            second = turn - 1
            peak = back(second, -1)
            low = back(peak, 1)
            top = back(low, -1)
            if price[turn] > price[second] and top < low < peak < second:
                if 0.97 * price[low] <= price[second] <= 1.03 * price[low]:
                    yield {
                        "since": bars[top]["time"],
                        "first": price[low],
                        "second": price[second],
                        "until": bars[turn]["time"],
                    }


@answers("Above a threshold for ten minutes")
def above(rows: list[Row]) -> Iterator[Row]:
    for readings in by(rows, "sensor"):
        spell: list[Row] = []
        for reading in readings:
            if reading["temp"] > 80:
                spell.append(reading)
                continue
            if spell and spell[-1]["time"] - spell[0]["time"] >= minutes(10):
                yield {
                    "sensor": reading["sensor"],
                    "since": spell[0]["time"],
                    "until": spell[-1]["time"],
                    "most": max(hot["temp"] for hot in spell),
                }
            spell = []


@answers("Ping-pong between two states")
def ping_pong(rows: list[Row]) -> Iterator[Row]:
    for moves in by(rows, "phone"):
        for a, b, c, d in zip(moves, moves[1:], moves[2:], moves[3:], strict=False):
            if a["cell"] == c["cell"] != b["cell"] == d["cell"] and d["time"] - a["time"] <= minutes(5):
                yield {"phone": a["phone"], "one": a["cell"], "other": b["cell"], "at": d["time"]}


@answers("Flapping")
def flapping(rows: list[Row]) -> Iterator[Row]:
    for reports in by(rows, "link"):
        found = []
        for start in range(len(reports)):
            places = [start]
            for place in range(start + 1, len(reports)):
                if len(places) < 5 and reports[place]["state"] != reports[places[-1]]["state"]:
                    places.append(place)
            if len(places) == 5 and reports[places[-1]]["time"] - reports[start]["time"] <= minutes(5):
                found.append(places)
        for places in apart(found):
            since, until = reports[places[0]], reports[places[-1]]
            yield {"link": since["link"], "since": since["time"], "until": until["time"]}


# ---------------------------------------------------------------- visits and funnels


@answers("A funnel: viewed, then put in the cart, then paid")
def funnel(rows: list[Row]) -> Iterator[Row]:
    for actions in by(rows, "user"):
        found = []
        for view, action in enumerate(actions):
            cart = first(actions, view + 1, is_a("cart"))
            pay = first(actions, cart + 1, is_a("pay")) if cart is not None else None
            if action["type"] == "view" and cart is not None and pay is not None:
                if actions[pay]["time"] - action["time"] <= minutes(30):
                    found.append([view, cart, pay])
        for view, cart, pay in apart(found):
            yield {
                "user": actions[view]["user"],
                "viewed": actions[view]["time"],
                "put": actions[cart]["time"],
                "paid": actions[pay]["time"],
            }


@answers("A funnel with drop-out: how far did each visit go?")
def drop_out(rows: list[Row]) -> Iterator[Row]:
    for actions in by(rows, "user"):
        for view, action in enumerate(actions):
            if action["type"] != "view":
                continue
            visit = [a for a in actions[view:] if a["time"] - action["time"] <= minutes(30)]
            cart = first(visit, 1, is_a("cart"))
            paid = cart is not None and first(visit, cart, is_a("pay")) is not None
            ending = "only_viewed" if cart is None else "paid" if paid else "left_the_cart"
            yield {"only_viewed": None, "left_the_cart": None, "paid": None} | {ending: action["user"]}


@answers("Left in the cart")
def left_in_the_cart(rows: list[Row]) -> Iterator[Row]:
    for actions in by(rows, "user"):
        for place, action in enumerate(actions):
            visit = [a for a in actions[place:] if a["time"] - action["time"] <= minutes(60)]
            cart = first(visit, 1, is_a("cart"))
            if action["type"] == "visit" and cart is not None and first(visit, cart, is_a("pay")) is None:
                yield {"user": action["user"], "put": visit[cart]["time"]}


@answers("Sessions: clicks with at most 30 minutes between")
def sessions(rows: list[Row]) -> Iterator[Row]:
    for clicks in by(rows, "user"):
        parts = [[clicks[0]]]
        for before, click in pairwise(clicks):
            if click["time"] - before["time"] > minutes(30):
                parts.append([])
            parts[-1].append(click)
        for part in parts:
            yield {
                "user": part[0]["user"],
                "since": part[0]["time"],
                "until": part[-1]["time"],
                "clicks": len(part),
            }


@answers("The first and the last page of a visit")
def first_and_last(rows: list[Row]) -> Iterator[Row]:
    for actions in by(rows, "user"):
        found = []
        for start in (k for k, action in enumerate(actions) if action["type"] == "login"):
            views: list[int] = []
            for place in range(start + 1, len(actions)):
                if actions[place]["type"] == "view":
                    views.append(place)
                elif actions[place]["type"] == "logout" and views:
                    found.append([start, *views, place])
        for places in apart(found):
            pages = [actions[place]["page"] for place in places[1:-1]]
            yield {"user": actions[0]["user"], "first": pages[0], "last": pages[-1], "views": len(pages)}


@answers("Bought again within a week")
def bought_again(rows: list[Row]) -> Iterator[Row]:
    for buys in by(rows, "customer", "item"):
        for a, b in pairwise(buys):
            if b["time"] - a["time"] <= 7:
                yield {
                    "customer": b["customer"],
                    "item": b["item"],
                    "first": a["time"],
                    "again": b["time"],
                }


# ---------------------------------------------------------------- security


@answers("Brute force: three failures in a row, then a success")
def brute_force(rows: list[Row]) -> Iterator[Row]:
    for tries in by(rows, "user"):
        for place, attempt in enumerate(tries):
            failures = 0
            for before in reversed(tries[:place]):
                if before["type"] != "fail" or attempt["time"] - before["time"] > minutes(10):
                    break
                failures += 1
            if attempt["type"] == "success" and failures >= 3:
                yield {"user": attempt["user"], "failures": failures, "at": attempt["time"]}


@answers("A threshold: more than ten failures within five minutes, then a success")
def threshold(rows: list[Row]) -> Iterator[Row]:
    for tries in by(rows, "user"):
        was_over = False
        for place, attempt in enumerate(tries):
            if attempt["type"] != "fail":
                continue
            recent = [t for t in tries[: place + 1] if attempt["time"] - t["time"] <= minutes(5)]
            is_over = sum(t["type"] == "fail" for t in recent) > 10
            success = first(tries, place + 1, is_a("success"))
            if is_over and not was_over and success is not None:
                at = tries[success]["time"]
                if at - attempt["time"] <= minutes(5):
                    yield {"user": attempt["user"], "since": attempt["time"], "at": at}
            was_over = is_over


@answers("Password spraying: one address, three different users")
def spraying(rows: list[Row]) -> Iterator[Row]:
    for tries in by(rows, "ip"):
        found = []
        for start in range(len(tries)):
            places = [start]
            for place in range(start + 1, len(tries)):
                if len(places) < 3 and tries[place]["user"] not in {tries[k]["user"] for k in places}:
                    places.append(place)
            if len(places) == 3 and tries[places[-1]]["time"] - tries[start]["time"] <= minutes(5):
                found.append(places)
        for places in apart(found):
            a, b, c = (tries[place] for place in places)
            yield {"ip": a["ip"], "one": a["user"], "two": b["user"], "three": c["user"], "at": c["time"]}


@answers("An event storm: five errors of a host within a minute")
def storm(rows: list[Row]) -> Iterator[Row]:
    for errors in by(rows, "host"):
        for place, error in enumerate(errors):
            recent = sum(error["time"] - other["time"] <= minutes(1) for other in errors[: place + 1])
            if recent >= 5:
                yield {"time": error["time"], "host": error["host"], "errors": recent}


# ---------------------------------------------------------------- things that are missing


@answers("Gaps: no reading for more than ten minutes")
def gaps(rows: list[Row]) -> Iterator[Row]:
    for readings in by(rows, "sensor"):
        for a, b in pairwise(readings):
            if b["time"] - a["time"] > minutes(10):
                yield {"sensor": a["sensor"], "since": a["time"], "until": b["time"]}


@answers("Missing heartbeats")
def heartbeats(rows: list[Row]) -> Iterator[Row]:
    for beats in by(rows, "host"):
        for place, beat in enumerate(beats):
            if not any(later["time"] - beat["time"] <= minutes(5) for later in beats[place + 1 :]):
                yield {"host": beat["host"], "last_beat": beat["time"]}


@answers("Shipped late, or never")
def late_shipment(rows: list[Row]) -> Iterator[Row]:
    for steps in by(rows, "id"):
        for place, order in enumerate(steps):
            ship = first(steps, place + 1, is_a("ship"))
            late = ship is None or steps[ship]["time"] - order["time"] > timedelta(days=2)
            if order["type"] == "order" and late:
                yield {"id": order["id"], "ordered": order["time"]}


@answers("A, then B, with no C between")
def no_c_between(rows: list[Row]) -> Iterator[Row]:
    for steps in by(rows, "id"):
        for place, order in enumerate(steps):
            ship = first(steps, place + 1, is_a("ship"))
            if order["type"] == "order" and ship is not None:
                if not any(step["type"] == "cancel" for step in steps[place:ship]):
                    yield {"id": order["id"], "shipped": steps[ship]["time"]}


# ---------------------------------------------------------------- tables


@answers("Two streams whose keys have different names")
def different_names(rows: list[Row]) -> Iterator[Row]:
    for place, order in enumerate(rows):
        for paid in rows[place + 1 :]:
            key = (order["customer"], order["amount"])
            if paid["type"] == "paid" and order["type"] == "order" and None not in key:
                if (paid["payer"], paid["amount"]) == key:
                    yield {"customer": order["customer"], "ordered": order["time"], "paid": paid["time"]}
                    break


@answers("The three largest rises")
def largest_rises(rows: list[Row]) -> list[Row]:
    before: dict[str, Row] = {}
    found = []
    for row in rows:
        last = before.get(row["symbol"])
        if last is not None and row["price"] > last["price"]:
            rise = row["price"] - last["price"]
            found.append({"symbol": row["symbol"], "time": row["time"], "rise": rise})
        before[row["symbol"]] = row
    return sorted(found, key=lambda row: -row["rise"])[:3]
