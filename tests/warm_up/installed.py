"""Both wheels in a new environment: `python -m tests.warm_up.installed`, or `make test-ready`.

The README's example, the whole warm-up list and a match on Spark are run in a read-only install with a new
home folder. No kernel is compiled, and nothing is written. Then Spark has the package alone, and the kernels
reach its workers in a zip.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from cepheid.bench.start.first_match import counted
from cepheid.bench.start.installed import Install, install, wheels
from cepheid.bench.start.processes import started
from cepheid.bench.start.readme import EVERYTHING, PROGRAM

ON_SPARK = """
import sys
from cepheid.runners.spark.start import local_session
from cepheid.spark import match

spark = local_session("ready", cores=2, shuffle_partitions=2)
if sys.argv[1:]:
    spark.addArtifacts(sys.argv[1], pyfile=True)
events = [{"ts": n, "kind": "AB"[n % 2], "k": n % 3, "x": float(n)} for n in range(60)]
query = "PATTERN SEQ(A a, B+ b[]) WHERE skip_till_next_match { [k] AND b[i].x > a.x } WITHIN 20"
found = match(spark.createDataFrame(events), query, time="ts", type="kind")
assert found.count() > 0
spark.stop()
"""


def main() -> None:
    """Fail with what was compiled or written."""
    found = wheels()
    if found is None:
        sys.exit("there are no wheels in dist/: `make package` builds both")
    print(
        f"{found.package.name} and {found.kernels.name}, {found.kernels.stat().st_size / 1e6:.1f} MB",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="cepheid-ready-") as folder:
        place = install(Path(folder), found.package, found.kernels)
        check(place, "the README's example", PROGRAM)
        check(place, "the whole warm-up list", EVERYTHING)
        check_on_spark(place, "Spark, with the kernels installed")
    with tempfile.TemporaryDirectory(prefix="cepheid-ready-") as folder:
        place = install(Path(folder), found.package)
        packed = Path(folder) / "k.zip"
        write_zip(place, found.kernels, packed)
        check_on_spark(place, "Spark, with the kernels in a zip", str(packed))


def check(place: Install, what: str, program: str) -> None:
    """Nothing is compiled, and nothing is written."""
    before = place.files()
    start = started([str(place.python), "-c", program], place.environment())
    counts = counted(start)
    written = [name for name, told in place.files().items() if told != before.get(name)]
    print(f"{what}: {counts}, {start.wall:.1f} s by the wall, {start.cpu:.1f} s by the processor", flush=True)
    if counts["compiled"] or written or not counts["loaded"]:
        sys.exit(f"{what} compiled {counts['compiled']} kernels and wrote {written[:5]}:\n{start.said}")


def check_on_spark(place: Install, what: str, *arguments: str) -> None:
    """No worker compiles a kernel: it would say so, and keep it."""
    started_there = started([str(place.python), "-c", ON_SPARK, *arguments], place.environment())
    kept = [name for name in place.files() if name.endswith((".nbi", ".nbc"))]
    print(f"{what}: {started_there.wall:.1f} s by the wall", flush=True)
    if kept or "compiling" in started_there.said:
        sys.exit(f"{what}: kernels were compiled:\n{kept[:5]}\n{started_there.said}")


def write_zip(place: Install, wheel: Path, out: Path) -> None:
    """By `cepheid kernels`, where the wheel is on the path."""
    command = [str(place.python), "-m", "cepheid", "kernels", "--out", str(out)]
    started(command, place.environment(PYTHONPATH=str(wheel)))


if __name__ == "__main__":
    main()
