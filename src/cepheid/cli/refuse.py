"""What the command line knows by name, but does not do yet, and other misuse: exit status 2."""

from typing import NoReturn

import typer

from cepheid.cli.say import say


def refuse(what: str, instead: str | None = None) -> NoReturn:
    """Leave, since this is not part of the version."""
    misuse(f"{what} is not part of this version{f'; {instead}' if instead else ''}")


def misuse(message: str) -> NoReturn:
    """Leave, since the command was used wrongly."""
    say(f"error: {message}")
    raise typer.Exit(2)
