"""A process log in XES: in which cases was money paid back without a check, and how long did it take?

A small log is written to a file: cases, and in each what was done, by whom and when. A tree pattern makes
events of it, a query finds the cases, and a plain loop with Python's own parser finds them again.
"""

import random
import xml.etree.ElementTree as ET
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa

import cepheid

DONE = cepheid.xml("/log/trace->T/event->E")
STEPS = cepheid.xml("/log/trace/event")
CASES = cepheid.xml("/log/trace->T/string->C[@key = 'concept:name']")
UNCHECKED = cepheid.query("""
PATTERN SEQ(register asked, ~check seen, pay paid)
WHERE   skip_till_next_match { [case] AND paid.amount > 500 }
WITHIN  20 days
RETURN  asked.case AS case, paid.amount AS amount, paid.time - asked.time AS took
""")


def write_log(path: Path, cases: int = 300, seed: int = 5) -> None:
    dice = random.Random(seed)
    lines = ['<log xes.version="1.0">', '  <extension name="Time" prefix="time" uri="http://time.example"/>']
    for number in range(cases):
        now = datetime(2024, 3, 1) + timedelta(minutes=dice.randint(0, 40_000))
        lines += ["  <trace>", f'    <string key="concept:name" value="case {number}"/>']
        for step in [
            "register",
            *["check"] * (dice.random() < 0.8),
            "decide",
            *["pay"] * (dice.random() < 0.6),
        ]:
            now += timedelta(minutes=dice.randint(30, 8_000))
            amount = f'<float key="amount" value="{dice.randint(50, 900)}.5"/>' if step == "pay" else ""
            lines.append(
                f'    <event><string key="concept:name" value="{step}"/>'
                f'<string key="org:resource" value="{dice.choice(["Ann", "Bo", "Cem"])}"/>'
                f'<date key="time:timestamp" value="{now.isoformat()}"/>{amount}</event>'
            )
        lines.append("  </trace>")
    path.write_text("\n".join([*lines, "</log>"]))


def events_of(path: Path) -> pa.Table:
    """What was done, with the case that it belongs to: an event does not say, but the trace that it is in."""
    events = STEPS.events(
        path,
        time="date[@key = 'time:timestamp']/@value",
        type="string[@key = 'concept:name']/@value",
        columns={
            "who": "string[@key = 'org:resource']/@value",
            "amount": "float[@key = 'amount']/@value",
        },
    )
    names = {row["parent"]: dict(row["attributes"])["value"] for row in CASES.run(path) if row["var"] == "C"}
    cases = [names[row["parent"]] for row in DONE.run(path) if row["var"] == "E"]
    return events.append_column("case", pa.array(cases))


def unchecked_by_hand(path: Path) -> set[tuple[str, float]]:
    found = set()
    for trace in ET.parse(path).getroot().iter("trace"):
        steps = [{each.get("key"): each.get("value") for each in event} for event in trace.iter("event")]
        names = [step["concept:name"] for step in steps]
        if "check" in names or "pay" not in names:
            continue
        paid = steps[names.index("pay")]
        began, ended = (datetime.fromisoformat(step["time:timestamp"]) for step in (steps[0], paid))
        if float(paid["amount"]) > 500 and ended - began <= timedelta(days=20):
            found.add((trace.find("string").get("value"), float(paid["amount"])))
    return found


def main() -> None:
    log = Path("claims.xes")
    write_log(log)
    events = events_of(log)
    matches = UNCHECKED.run(events, time="time", type="type")
    print(f"{events.num_rows:,} events, {len(matches)} payments without a check")
    for row in list(matches)[:3]:
        print(f"  {row['case']}: {row['amount']} after {row['took']}")
    assert {(row["case"], row["amount"]) for row in matches} == unchecked_by_hand(log)
    print("a loop over the traces finds the same")


if __name__ == "__main__":
    main()
