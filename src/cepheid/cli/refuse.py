"""Misuse of the command line: exit status 2."""

from typing import NoReturn

import typer

from cepheid.cli.say import say


def misuse(message: str) -> NoReturn:
    """Leave, since the command was used wrongly."""
    say(f"error: {message}")
    raise typer.Exit(2)
