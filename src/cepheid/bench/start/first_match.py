"""The first match on a new machine: with ready kernels, without them, and where they do not fit."""

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cepheid.bench.results import Figure, Row, Section, no_bar
from cepheid.bench.start.installed import Install, Wheels, install, wheels
from cepheid.bench.start.processes import Start, row_of, started, under
from cepheid.bench.start.readme import ANSWER, EVERYTHING, PROGRAM
from cepheid.bench.start.sizes import StartSizes
from cepheid.errors import CepheidError

READY_BAR, COLD_BAR = 5.0, 45.0
MISSING = "no wheels in dist/: `make package` builds both"


def ready(sizes: StartSizes) -> Section:
    """The README's example in a new environment from the two wheels."""
    title = "The first match, with ready kernels"
    found = wheels()
    if found is None:
        return _nothing(title)
    with tempfile.TemporaryDirectory(prefix="cepheid-bench-") as folder:
        place = install(Path(folder), found.package, found.kernels)
        starts, compiled, written = _watched(place, PROGRAM, sizes.starts)
        whole, compiled_in_all, written_by_all = _watched(place, EVERYTHING, 1)
    return Section(
        title,
        "A new virtual environment from the two wheels, read-only, and a new home folder: the example of the "
        "README as a process of its own; then the whole warm-up list, which uses every kernel.",
        (row_of("first match", starts), row_of("every kernel", whole)),
        figures=(
            under("first match with ready kernels", READY_BAR, starts),
            _none("kernels compiled", compiled + compiled_in_all),
            _none("files written", written + written_by_all),
        ),
    )


def _watched(place: Install, program: str, times: int) -> tuple[list[Start], list[str], list[str]]:
    """Starts of a program, what they compiled, and the files that they wrote."""
    before = place.files()
    starts = [started([str(place.python), "-c", program], place.environment()) for _ in range(times)]
    counts = [counted(start) for start in starts]
    compiled = [str(count) for count in counts if count["compiled"]]
    after = place.files()
    return starts, compiled, [name for name in after if after[name] != before.get(name)]


def counted(start: Start) -> dict[str, Any]:
    """What the program compiled and loaded, and whether its answer is right."""
    *answer, last = start.out.splitlines()
    if answer not in ([], [ANSWER]):
        raise CepheidError(f"the first match is another one: {answer}")
    counts: dict[str, Any] = json.loads(last)
    return counts


def cold(sizes: StartSizes) -> Section:
    """The same without the kernels' wheel."""
    title = "The first match, without ready kernels"
    found = wheels()
    if found is None or not sizes.cold_starts:
        return _nothing(title, MISSING if found is None else "not measured at this size")
    starts = []
    for _ in range(sizes.cold_starts):
        with tempfile.TemporaryDirectory(prefix="cepheid-bench-") as folder:
            place = install(Path(folder), found.package)
            starts.append(started([str(place.python), "-c", PROGRAM], place.environment()))
    said = [line for line in starts[0].said.splitlines() if "functions" in line]
    return Section(
        title,
        "The same environment without the kernels' wheel, in a new home each time.",
        (row_of("cold first match", starts),),
        figures=(
            under("cold first match", COLD_BAR, starts, lambda start: start.cpu, "processor time"),
            Figure("says how far it is", "it does", said[0] if said else "silent", bool(said)),
        ),
    )


def misfits(sizes: StartSizes) -> Section:
    """Ready kernels that must not be used: it compiles, and says so."""
    title = "Ready kernels that do not fit"
    found = wheels()
    if found is None or not sizes.cold_starts:
        return _nothing(title, MISSING if found is None else "not measured at this size")
    rows, figures = [], []
    for what, (spoil, settings) in MISFITS.items():
        row, figure = _misfit(what, spoil, settings, found)
        rows.append(row)
        figures.append(figure)
    text = (
        "The README's example where the ready kernels are there and do not fit: what it says, and its answer."
    )
    return Section(title, text, tuple(rows), figures=tuple(figures))


def _misfit(
    what: str, spoil: Callable[[Path], None], settings: dict[str, str], found: Wheels
) -> tuple[Row, Figure]:
    with tempfile.TemporaryDirectory(prefix="cepheid-bench-") as folder:
        place = install(Path(folder), found.package, found.kernels)
        (level,) = place.packages.glob("cepheid_kernels/*/manifest.json")
        level.parent.chmod(0o755)
        spoil(level.parent)
        start = started([str(place.python), "-c", PROGRAM], place.environment(**settings))
    compiled = counted(start)["compiled"]
    said = next((line for line in start.said.splitlines() if "not used" in line), "silent")
    row = {"misfit": what, "compiled": compiled, "seconds (cpu)": round(start.cpu, 1), "says": said}
    return row, Figure(what, "compiles, and says so", said, bool(compiled) and said != "silent")


def _as_it_is(level: Path) -> None:
    """The kernels are good: it is the host that lacks something."""


def _cut_off(level: Path) -> None:
    for file in level.glob("*.kernel"):
        content = file.read_bytes()
        file.unlink()
        file.write_bytes(content[: len(content) // 2])


def _exchanged(level: Path) -> None:
    """Every kernel's file holds another kernel."""
    files = sorted(level.glob("*.kernel"))
    for file, other in zip(files, [*files[1:], files[0]], strict=True):
        shutil.move(file, file.with_suffix(".moved"))
        shutil.copy(other.with_suffix(".moved") if other.with_suffix(".moved").exists() else other, file)


def _other_sources(level: Path) -> None:
    manifest = level / "manifest.json"
    told = json.loads(manifest.read_text())
    told["built"]["stamp"] = "kernels-of-other-sources"
    manifest.unlink()
    manifest.write_text(json.dumps(told))


MISFITS: dict[str, tuple[Callable[[Path], None], dict[str, str]]] = {
    "a processor without AVX": (_as_it_is, {"NUMBA_ENABLE_AVX": "0"}),
    "files that are cut off": (_cut_off, {}),
    "files of other kernels": (_exchanged, {}),
    "kernels of other sources": (_other_sources, {}),
}
"""How ready kernels are spoilt, and which settings the process sees."""


def _none(name: str, found: list[str]) -> Figure:
    return Figure(name, "none", str(len(found)) if found else "none", not found, "; ".join(found[:3]))


def _nothing(title: str, reason: str = MISSING) -> Section:
    return Section(title, reason, ({"start": "none", "why": reason},), figures=(no_bar(title, "–", reason),))
