"""The command line: all commands in the order of its help. What each does is imported when it is called."""

from typing import Annotated

import typer

from cepheid.cli.data_commands import generate, xml
from cepheid.cli.other_commands import bench, demo, kernels, serve, warm_up
from cepheid.cli.query_commands import explain, run, test, why

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


for command in (run, explain, why, test, generate, bench, warm_up, kernels, demo, xml, serve):
    app.command()(command)
