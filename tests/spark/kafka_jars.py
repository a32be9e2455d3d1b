"""Jars from Maven Central, fetched by Spark's own resolver and kept in .cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyspark

from cepheid.runners.spark.java import ensure_java

ROOT = Path(__file__).parents[2]
SPARK_HOME = Path(pyspark.__file__).parent
BROKER = ("org.apache.kafka:kafka_2.13:4.1.1",)
CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"
TOKENS = "org.apache.spark:spark-token-provider-kafka-0-10_2.13"


class NoJars(Exception):
    """The jars cannot be had."""


def broker_jars() -> list[Path]:
    """What a broker runs on; Spark's resolver leaves out Scala's library, which Spark has."""
    return [*fetched(BROKER), *SPARK_HOME.glob("jars/scala-library-*.jar")]


def connector_jars() -> tuple[str, list[Path]]:
    """Spark's connector of this version; where a mirror lags behind, the last one that works with it."""
    version = pyspark.__version__
    try:
        return version, fetched([f"{CONNECTOR}:{version}"])
    except NoJars:
        connector = fetched([f"{CONNECTOR}:4.2.0"], without=[TOKENS])
        return "4.2.0", [*connector, *(jar for jar in fetched([f"{TOKENS}:4.0.0"]) if "token" in jar.name)]


def fetched(packages: Sequence[str], without: Sequence[str] = ()) -> list[Path]:
    """The jars of packages and of all they need."""
    name = hashlib.sha256(" ".join([*packages, *without]).encode()).hexdigest()[:12]
    folder = ROOT / ".cache" / "ivy" / name
    if not (folder / "complete").exists():
        _resolve(packages, without, folder)
        (folder / "complete").touch()
    return sorted((folder / "jars").glob("*.jar"))


def _resolve(packages: Sequence[str], without: Sequence[str], folder: Path) -> None:
    print(f"fetching {', '.join(packages)} …", flush=True)
    ensure_java()
    command = [
        str(SPARK_HOME / "bin" / "spark-submit"),
        *("--master", "local[1]", "--conf", f"spark.jars.ivy={folder}"),
        *("--packages", ",".join(packages)),
        *(("--exclude-packages", ",".join(without)) if without else ()),
    ]
    environment = os.environ | {"SPARK_HOME": str(SPARK_HOME), "PYSPARK_PYTHON": sys.executable}
    with tempfile.NamedTemporaryFile(suffix=".py") as nothing:
        done = subprocess.run(
            [*command, nothing.name],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
    if done.returncode != 0:
        why = [
            line.strip() for line in done.stderr.splitlines() if "not found" in line or "Exception" in line
        ]
        raise NoJars(f"{', '.join(packages)}: {(why or ['the resolver failed'])[-1]}")
