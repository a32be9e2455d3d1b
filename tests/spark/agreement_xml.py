"""Random tree patterns on a real Spark against the oracle: `python -m tests.spark.agreement_xml`.

python -m tests.spark.agreement_xml --cases 300 --seed 1

Each case has its own documents, as texts, as binary or as files, split over partitions and batches anywhere.
Many cases share one job, to start it once.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from cepheid.pattern.twig.render import render_twig
from cepheid.plan.twig.build import twig_plan
from cepheid.runners.spark.start import local_session
from cepheid.spark import match_xml, match_xml_files
from cepheid.xml import XmlPattern
from tests.cases.twig import TwigCase, twig_case
from tests.oracle.documents import document
from tests.oracle.twig import twig_rows

MOST_DOCUMENTS, MOST_PARTITIONS, MOST_IN_BATCH = 6, 4, 3
CASE, KEY, DOCUMENT = "case", "key", "doc"
SHAPES = ("string", "binary", "files")

Row = tuple[Any, ...]


@dataclass(frozen=True)
class DocumentTrial:
    """A pattern, and documents by their names: the case's own, and some of others."""

    number: int
    case: TwigCase
    documents: dict[str, bytes]
    shape: str
    partitions: int

    def expected(self) -> list[Row]:
        """The rows by the oracle."""
        return sorted(
            (self.number, name, *told(row))
            for name, data in self.documents.items()
            for row in twig_rows(self.case.pattern, document(data))
        )

    def frame(self, spark: SparkSession, folder: Path) -> DataFrame:
        """The rows by Spark."""
        pattern = XmlPattern(twig_plan(self.case.pattern))
        if self.shape == "files":
            own = folder / str(self.number)
            own.mkdir()
            for name, data in self.documents.items():
                (own / name).write_bytes(data)
            found = match_xml_files(spark, own, pattern)
            found = found.withColumn(KEY, sf.element_at(sf.split("path", "/"), -1)).drop("path")
        else:
            is_text = self.shape == "string"
            rows = [(name, data.decode() if is_text else data) for name, data in self.documents.items()]
            df = spark.createDataFrame(rows, f"{KEY} string, {DOCUMENT} {self.shape}")
            found = match_xml(df.repartition(self.partitions), pattern, column=DOCUMENT, key=KEY)
        return found.withColumn(CASE, sf.lit(self.number))

    def __str__(self) -> str:
        return f"case {self.number}, {self.shape}: {render_twig(self.case.pattern)} over {self.documents}"


def trials(cases: int, seed: int) -> Iterator[DocumentTrial]:
    """Random cases."""
    for number in range(seed, seed + cases):
        dice = random.Random(f"spark-{number}")
        others = [twig_case(dice.randrange(1 << 30)).data for _ in range(dice.randrange(MOST_DOCUMENTS))]
        case = twig_case(number)
        named = {f"{place}.xml": data for place, data in enumerate([case.data, *others])}
        yield DocumentTrial(number, case, named, dice.choice(SHAPES), dice.randint(1, MOST_PARTITIONS))


def told(row: dict[str, Any]) -> Row:
    """A row as a value that can be sorted: nothing is less than any place."""
    places = [-1 if row[name] is None else row[name] for name in ("match", "parent", "run", "start", "end")]
    return row["var"], *places, row["tag"], row["text"], tuple(sorted(dict(row["attributes"]).items()))


def found_rows(spark: SparkSession, group: Sequence[DocumentTrial], folder: Path) -> list[Row]:
    """The rows of some cases, in one job."""
    frames = [trial.frame(spark, folder) for trial in group]
    together = reduce(DataFrame.unionByName, frames)
    return sorted((row[CASE], row[KEY], *told(row.asDict())) for row in together.collect())


def main(cases: int, seed: int, group: int) -> int:
    """Run everything; the exit status."""
    every = list(trials(cases, seed))
    spark = local_session("cepheid agreement", cores=2, shuffle_partitions=2)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(MOST_IN_BATCH))
    done = with_rows = rows = differ = 0
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(every), group):
            own = every[start : start + group]
            found = found_rows(spark, own, Path(folder))
            for trial in own:
                expected = trial.expected()
                done, rows, with_rows = done + 1, rows + len(expected), with_rows + bool(expected)
                if [row for row in found if row[0] == trial.number] != expected:
                    differ += 1
                    print(f"\n{trial}", flush=True)
            print(f"{done:,} of {len(every):,}, {differ} differ", file=sys.stderr, flush=True)
    spark.stop()
    print(f"{done:,} cases ({with_rows:,} with rows, {rows:,} in all), {differ} differ from the oracle")
    return 1 if differ else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--group", type=int, default=25, help="cases that share a job")
    chosen = parser.parse_args()
    sys.exit(main(chosen.cases, chosen.seed, chosen.group))
