"""Sensors that report in XML, on Spark: a document an hour, and sequences that go from one into the next.

The workers make events of the documents with a tree pattern, and a query runs over the events of all of them.
The same query over the same documents in one process finds the same.
"""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta

import pyarrow as pa

import cepheid
from cepheid.runners.spark.start import local_session
from cepheid.spark import match
from cepheid.xml import xml

MESSAGES = "/feed/message"
PATHS = {"time": "@sent", "type": "sensor/@kind", "columns": {"room": "room", "degrees": "value"}}
EVENTS = pa.schema(
    [("time", pa.timestamp("us")), ("type", pa.string()), ("room", pa.int64()), ("degrees", pa.float64())]
)
HEATED = cepheid.query("""
PATTERN SEQ(door opened, heat first, heat second)
WHERE   skip_till_next_match { [room] AND second.degrees > first.degrees + 4 }
WITHIN  20 min
RETURN  opened.room AS room, opened.time AS opened, second.degrees AS degrees
""")


def feeds(hours: int = 12, messages: int = 80, rooms: int = 4, seed: int = 3) -> list[bytes]:
    """A document for each hour."""
    dice = random.Random(seed)
    documents = []
    for hour in range(hours):
        lines, begin = ["<feed>"], datetime(2024, 7, 1, hour)
        for second in sorted(dice.sample(range(3600), messages)):
            kind = dice.choice(["door", "heat", "heat"])
            value = f"<value>{round(dice.gauss(22, 3), 1)}</value>" if kind == "heat" else ""
            sent = (begin + timedelta(seconds=second)).isoformat()
            room = f"<room>{dice.randrange(rooms)}</room>"
            lines.append(f'<message sent="{sent}"><sensor kind="{kind}"/>{room}{value}</message>')
        documents.append("\n".join([*lines, "</feed>"]).encode())
    return documents


def events_of(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Documents to events, on a worker. All documents give the same types, whatever values are in them."""
    pattern = xml(MESSAGES)
    for batch in batches:
        for document in batch.column("document").to_pylist():
            yield from pattern.events(document, **PATHS).cast(EVENTS).to_batches()


def main() -> None:
    documents = feeds()
    spark = local_session("sensors", cores=2, shuffle_partitions=2)
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    rows = spark.createDataFrame([(document,) for document in documents], "document binary")
    schema = "time timestamp_ntz, type string, room bigint, degrees double"
    events = rows.repartition(4).mapInArrow(events_of, schema)
    on_spark = match(events, HEATED, time="time", type="type").select("room", "opened", "degrees").collect()
    table = pa.Table.from_batches(events_of(iter([pa.record_batch({"document": documents})])))
    in_one = HEATED.run(table, time="time", type="type")
    print(f"{len(documents)} documents, {table.num_rows:,} events, {len(on_spark)} rooms that heated up")
    assert sorted(map(tuple, on_spark)) == sorted(
        (row["room"], row["opened"], row["degrees"]) for row in in_one
    )
    print("in one process there are the same")
    spark.stop()


if __name__ == "__main__":
    main()
