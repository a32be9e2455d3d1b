"""The commands and their options; what each does is imported when it is called."""

from pathlib import Path
from typing import Annotated

import typer

from cepheid.cli.bench import BENCHES
from cepheid.cli.options import Engine, Events, Files, Order, Params, Query, Time, TimeUnit, Type

app = typer.Typer(
    help="Find patterns in streams and tables of events.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        try:
            number = metadata.version("cepheid")
        except metadata.PackageNotFoundError:
            number = "from source, not installed"
        typer.echo(f"cepheid {number}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find patterns in streams and tables of events."""


@app.command()
def run(
    query: Query,
    files: Files = None,
    events: Events = None,
    time: Time = None,
    type: Type = None,
    order: Order = None,
    time_unit: TimeUnit = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where the matches go, by its ending; - is standard output."
        ),
    ] = None,
    engine: Engine = "auto",
    param: Params = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", metavar="jsonl|csv|tsv", help="What - is: standard input, and standard output."
        ),
    ] = None,
    spark: Annotated[
        bool, typer.Option("--spark", help="Run on Spark, on all cores of this machine or on a cluster.")
    ] = False,
    master: Annotated[
        str | None,
        typer.Option(
            "--master", metavar="URL", help="With --spark: local[N], spark://… or sc://… [default: local[*]]."
        ),
    ] = None,
    shards: Annotated[
        int | None,
        typer.Option("--shards", min=1, help="With --spark: in how many parts the events are divided."),
    ] = None,
    stats: Annotated[
        bool, typer.Option("--stats", help="Tell the numbers of the run, on standard error.")
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="How many matches a table on the terminal shows.")
    ] = 20,
    max_matches: Annotated[
        int | None, typer.Option("--max-matches", min=1, help="Fail beyond so many matches.")
    ] = None,
    max_state: Annotated[
        int | None, typer.Option("--max-state", min=1, help="Fail beyond so many bytes of state.")
    ] = None,
    on_bad: Annotated[
        str, typer.Option("--on-bad", metavar="side|drop|fail", help="What to do with bad events.")
    ] = "side",
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on reading FILE as it grows, until Ctrl-C.")
    ] = False,
    lateness: Annotated[
        str | None,
        typer.Option(
            "--lateness", metavar="DURATION", help="Live: how late events may come [default: 0, in order]."
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="NAME=TYPE",
            help="Live: a column's type, if its first values do not tell it; repeatable.",
        ),
    ] = None,
    fail_on_match: Annotated[
        bool, typer.Option("--fail-on-match", help="Leave with exit status 3 if there is a match.")
    ] = False,
) -> None:
    """Find the matches of QUERY in files of events, or in events as they come (- or --follow).

    QUERY may be a file of several queries, each under a line "-- name: …".
    """
    from cepheid.cli.asked import asked_for
    from cepheid.cli.columns import Binding
    from cepheid.cli.deliver import showing_for
    from cepheid.cli.liveness import is_live
    from cepheid.cli.refuse import misuse
    from cepheid.cli.run import Limits, run_query

    paths = [*(files or []), *(events or [])]
    if not paths:
        misuse("which events? name their files after the query, or with --events; - is standard input")
    showing = showing_for(out, stats, limit, format)
    asked = asked_for(query, engine, param or ())
    binding = Binding(time, type, tuple(order or ()), time_unit)
    limits = Limits(max_matches, max_state, on_bad)
    if spark and follow:
        misuse("--follow does not go with --spark: a stream on Spark is a streaming DataFrame")
    if spark:
        from cepheid.cli.run_spark import Cluster, run_query_on_spark

        cluster = Cluster(master or "local[*]", shards)
        matches = run_query_on_spark(asked, paths, binding, limits, showing, cluster)
    elif master is not None or shards is not None:
        misuse("--master and --shards go with --spark")
    elif is_live(paths, follow):
        from cepheid.cli.live import run_live
        from cepheid.cli.live_input import live_input

        source = live_input(paths, format, lateness, column or ())
        matches = run_live(asked, source, binding, limits, showing)
    elif lateness is not None or column:
        misuse("--lateness and --column go with live events: --events - or --follow")
    else:
        matches = run_query(asked, paths, binding, limits, showing)
    if fail_on_match and matches:
        raise typer.Exit(3)


@app.command()
def explain(
    query: Query,
    files: Files = None,
    events: Annotated[
        list[str] | None,
        typer.Option("--events", "-e", metavar="FILE", help="Check the query against these events."),
    ] = None,
    time: Time = None,
    type: Type = None,
    order: Order = None,
    time_unit: TimeUnit = None,
    engine: Engine = "auto",
    param: Params = None,
    format: Annotated[
        str, typer.Option("--format", metavar="text|mermaid|dot", help="How to draw it.")
    ] = "text",
) -> None:
    """Show how QUERY would be run: its automaton, the engine and why."""
    from cepheid.cli.columns import Binding
    from cepheid.cli.explain import explain_query

    binding = Binding(time, type, tuple(order or ()), time_unit)
    explain_query(query, [*(files or []), *(events or [])], binding, engine, format, param or [])


@app.command()
def why(
    query: Query,
    files: Files = None,
    events: Events = None,
    time: Time = None,
    type: Type = None,
    order: Order = None,
    time_unit: TimeUnit = None,
    param: Params = None,
    around: Annotated[
        str | None,
        typer.Option("--around", metavar="TIME", help="When a match was expected [default: at any time]."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="A page (.html), a picture (.svg), .json or .txt."),
    ] = None,
    max_events: Annotated[
        int | None, typer.Option("--max-events", min=1, help="Look at no more events [default: 200000].")
    ] = None,
) -> None:
    """Say why QUERY has no match: how far events came, and what stopped them, nearest misses first."""
    from cepheid.cli.columns import Binding
    from cepheid.cli.refuse import misuse
    from cepheid.cli.why import why_query

    paths = [*(files or []), *(events or [])]
    if not paths:
        misuse("which events? name their files after the query, or with --events; - is standard input")
    binding = Binding(time, type, tuple(order or ()), time_unit)
    why_query(query, paths, binding, param or [], around, out, max_events)


@app.command()
def test(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE.scn…", help="Scenarios: files, folders of them, or patterns.", show_default=False
        ),
    ],
    junit: Annotated[
        str | None,
        typer.Option("--junit", metavar="FILE", help="Write what came of them as JUnit's XML, too."),
    ] = None,
) -> None:
    """Run scenarios: a query, its events, and the matches that are expected of them."""
    from cepheid.cli.test import run_scenarios

    run_scenarios(files, junit)


@app.command()
def generate(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="Events: stocks, clicks or sensors. An XML document: xmark, treebank or dblp.",
        ),
    ],
    size: Annotated[
        str | None,
        typer.Option(
            "--size",
            metavar="SIZE",
            help="How many events [default: 1000000]; of xmark a factor, 1 for 117 MB [default: 0.1]; "
            "of treebank and dblp megabytes [default: 10].",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same data.")] = 1,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where they go, by its ending; - is standard output."
        ),
    ] = "-",
    symbols: Annotated[
        int | None, typer.Option("--symbols", min=1, help="How many stocks there are [default: 2].")
    ] = None,
    rise: Annotated[
        float | None,
        typer.Option("--rise", min=0, max=1, help="The probability that a price rises [default: 0.7]."),
    ] = None,
    rooms: Annotated[
        int | None, typer.Option("--rooms", min=1, help="How many rooms have sensors [default: 50].")
    ] = None,
    users: Annotated[
        int | None, typer.Option("--users", min=1, help="How many people visit the shop [default: 1000].")
    ] = None,
) -> None:
    """Generate events or a document to try queries on, the same for the same seed."""
    from cepheid.cli.generate import generate_data

    generate_data(what, size, seed, out, symbols=symbols, rise=rise, rooms=rooms, users=users)


@app.command()
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


@app.command("warm-up")
def warm_up(
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="In how many processes [default: one for each core]."),
    ] = None,
) -> None:
    """Compile or load all kernels now, so that no query waits for them."""
    from cepheid.cli.warm_up import make_ready

    make_ready(jobs)


@app.command()
def kernels(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The zip to write.")],
) -> None:
    """Write all kernels into a zip, for Spark workers that nothing may be installed on."""
    from cepheid.cli.warm_up import write_kernels

    write_kernels(out)


@app.command()
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


@app.command()
def xml(
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="What to find: '//person(/name->N:/mail)'.")
    ],
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="XML, also packed (.xml.gz, .xml.zst); - is standard input.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where the nodes go, by its ending; - is standard output."
        ),
    ] = None,
    wide: Annotated[
        bool, typer.Option("--wide", help="A row for each match and a column for each variable.")
    ] = False,
    count: Annotated[bool, typer.Option("--count", help="Only the number of rows.")] = False,
    parser: Annotated[
        str, typer.Option("--parser", metavar="fast|lxml|expat", help="What reads the documents.")
    ] = "fast",
    namespaces: Annotated[
        list[str] | None,
        typer.Option(
            "--namespaces",
            metavar="PREFIX=URI|ignore",
            help="Compare names by namespace, repeatable; or by what follows their prefix.",
        ),
    ] = None,
    entities: Annotated[
        list[str] | None,
        typer.Option(
            "--entities", metavar="NAME=TEXT|html", help="Texts of entities, repeatable; or those of HTML."
        ),
    ] = None,
    max_depth: Annotated[
        int, typer.Option("--max-depth", min=1, help="How many elements may be open at a time.")
    ] = 10_000,
    max_text: Annotated[
        int, typer.Option("--max-text", min=1, help="How many bytes a tag, or a text, may have.")
    ] = 1 << 28,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="How many rows a table on the terminal shows.")
    ] = 20,
) -> None:
    """Find the nodes of a tree pattern in XML documents."""
    from cepheid.cli.xml import XmlAsked, run_xml

    limits = (namespaces or (), entities or (), max_depth, max_text)
    run_xml(XmlAsked(pattern, files, wide, count, parser, *limits), out, limit)


@app.command()
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
