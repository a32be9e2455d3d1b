"""The options that several commands have."""

from typing import Annotated

import typer

Query = Annotated[str, typer.Argument(metavar="QUERY", help="The query: its text, or a file that holds it.")]
Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="Events: Parquet, CSV, JSON lines, Arrow; - is standard input.",
        show_default=False,
    ),
]
Events = Annotated[
    list[str] | None,
    typer.Option("--events", "-e", metavar="FILE…", help="The same: the files may stand here too."),
]
Params = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", metavar="NAME=VALUE", help="What $NAME stands for in QUERY; repeatable."),
]
Time = Annotated[
    str | None,
    typer.Option("--time", metavar="C", help="The time column [default: time, ts, or the only timestamp]."),
]
Type = Annotated[
    str | None, typer.Option("--type", metavar="C", help="The type column [default: type, if there is one].")
]
Order = Annotated[
    list[str] | None,
    typer.Option("--order", metavar="C", help="A column that orders events of one time; repeatable."),
]
TimeUnit = Annotated[
    str | None,
    typer.Option(
        "--time-unit", metavar="UNIT", help="The unit of a numeric time column: ns us ms s min h d w."
    ),
]
Engine = Annotated[str, typer.Option("--engine", metavar="NAME", help="The engine to use.")]
