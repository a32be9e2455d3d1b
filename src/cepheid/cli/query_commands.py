"""The commands about queries: what each does is imported when it is called."""

from typing import Annotated

import typer

from cepheid.cli.options import Engine, Events, Files, Order, Params, Query, Time, TimeUnit, Type


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

    paths = _paths(files, events)
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
    from cepheid.cli.why import why_query

    paths = _paths(files, events)
    binding = Binding(time, type, tuple(order or ()), time_unit)
    why_query(query, paths, binding, param or [], around, out, max_events)


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


def _paths(files: list[str] | None, events: list[str] | None) -> list[str]:
    """The files of events, wherever they stand in the command."""
    from cepheid.cli.refuse import misuse

    paths = [*(files or []), *(events or [])]
    if not paths:
        misuse("which events? name their files after the query, or with --events; - is standard input")
    return paths
