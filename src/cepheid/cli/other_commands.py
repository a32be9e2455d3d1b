"""The commands that measure, make ready, show and serve."""

from pathlib import Path
from typing import Annotated

import typer

from cepheid.cli.bench import BENCHES


def bench(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help=f"Which measurements: {', '.join(BENCHES)}, or all.")
    ] = "all",
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, in a minute or so.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder for the report.")
    ] = None,
    saved: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="DIR", help="With all: measure nothing, and use reports in DIR."),
    ] = None,
) -> None:
    """Measure, as the papers do."""
    from cepheid.cli.bench import run_benches

    run_benches(paper, quick, out, saved or ())


def warm_up(
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="In how many processes [default: one for each core]."),
    ] = None,
) -> None:
    """Compile or load all kernels now, so that no query waits for them."""
    from cepheid.cli.warm_up import make_ready

    make_ready(jobs)


def kernels(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The zip to write.")],
) -> None:
    """Write all kernels into a zip, for Spark workers that nothing may be installed on."""
    from cepheid.cli.warm_up import write_kernels

    write_kernels(out)


def demo(
    spark: Annotated[
        bool, typer.Option("--spark", help="A stream of events, matched by Spark on this machine.")
    ] = False,
    service: Annotated[
        bool, typer.Option("--service", help="A building that reports to the notification service.")
    ] = False,
    stay: Annotated[bool, typer.Option("--stay", help="With --service: until Ctrl-C.")] = False,
) -> None:
    """Generate stock events and find a pattern in them."""
    if stay and not service:
        from cepheid.cli.refuse import misuse

        misuse("--stay goes with --service")
    if service:
        from cepheid.cli.demo_service import show_service_demo

        show_service_demo(stay)
        return
    if spark:
        from cepheid.cli.demo_spark import show_spark_demo

        show_spark_demo()
        return
    from cepheid.cli.demo import show_demo

    show_demo()


def serve(
    db: Annotated[
        str | None,
        typer.Option(
            "--db", metavar="URL", help="sqlite:///FILE or postgresql://… [default: sqlite:///cepheid.db]."
        ),
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", metavar="H", help="Where to listen [default: 127.0.0.1].")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", help="0 for any that is free [default: 8080].")
    ] = None,
    lateness: Annotated[
        str | None,
        typer.Option("--lateness", metavar="DURATION", help="How late events may come [default: 0]."),
    ] = None,
    idle: Annotated[
        str | None,
        typer.Option(
            "--idle", metavar="DURATION", help="After how long without events time goes on [default: 1 min]."
        ),
    ] = None,
    ahead: Annotated[
        str | None,
        typer.Option(
            "--ahead", metavar="DURATION", help="How far events may be ahead of the clock [default: 1 day]."
        ),
    ] = None,
    allow_network: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-network", metavar="CIDR", help="Let webhooks go there too, also over http; repeatable."
        ),
    ] = None,
) -> None:
    """Tell people of situations as they happen: profiles behind HTTP.

    Each option, and more that docs/how-to/service.md lists, can come from the environment: CEPHEID_DB, ….
    """
    from cepheid.cli.serve import run_service

    run_service(db, host, port, lateness, idle, ahead, allow_network)
