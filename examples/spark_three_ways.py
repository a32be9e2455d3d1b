"""The same query over the same rows on Spark in three ways: `match`, `match_files` and SQL.

python examples/spark_three_ways.py 5000000
"""

import sys
import tempfile
import time
from pathlib import Path

from cepheid.runners.spark.start import local_session
from cepheid.spark import match, match_files, register

QUERY = """
PATTERN SEQ(A a, B b)
WHERE   skip_till_next_match { [id] AND a.x > 95 AND b.x < 5 }
WITHIN  1000
RETURN  a.id AS id
"""


def main(rows: int = 5_000_000) -> None:
    spark = local_session("three ways", cores=2, shuffle_partitions=2)
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    register(spark)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "events")
        spark.range(rows).selectExpr(
            "id AS ts",
            "element_at(array('A', 'B', 'C', 'D'), CAST(1 + pmod(xxhash64(id, 1), 4) AS INT)) AS kind",
            "pmod(xxhash64(id, 2), 1000) AS id",
            "pmod(xxhash64(id, 3), 100) AS x",
        ).write.parquet(path)
        events = spark.read.parquet(path)
        events.createOrReplaceTempView("events")
        ways = {
            "match": lambda: match(events, QUERY, time="ts", type="kind").count(),
            "match_files": lambda: match_files(spark, path, QUERY, time="ts", type="kind").count(),
            "SQL": lambda: spark.sql(
                "SELECT count(*) FROM cepheid_match(TABLE(events), :query, 'time=ts,type=kind')",
                {"query": QUERY},
            ).first()[0],
        }
        counts = {}
        for name, count in ways.items():
            begun = time.perf_counter()
            counts[name] = count()
            print(
                f"{name:12s} {counts[name]:,} matches in {rows:,} rows, {time.perf_counter() - begun:.1f} s"
            )
        assert len(set(counts.values())) == 1
    spark.stop()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
