"""The page of all commands, from the text of their help."""

from __future__ import annotations

import re
from collections.abc import Iterator

import typer
from typer.main import get_command


def commands_page() -> str:
    """Every command with its options, in the words of `--help`."""
    from cepheid.cli.app import app

    top = get_command(app)
    context = typer.Context(top, info_name="cepheid")
    names = top.list_commands(context)  # type: ignore[attr-defined]  # a group
    parts = [
        "# All options of the commands\n",
        "What `cepheid COMMAND --help` prints. [The command line](command-line.md) has examples.\n",
    ]
    for name in names:
        command = top.get_command(context, name)  # type: ignore[attr-defined]
        parts.extend(_section(command, typer.Context(command, info_name=name, parent=context)))
    return "\n".join(parts) + "\n"


def _section(command: object, context: typer.Context) -> Iterator[str]:
    command = context.command
    told = (command.help or "").split("\f")[0]
    yield f"## cepheid {context.info_name}\n"
    yield re.sub(r"[ \t]*\n[ \t]*", "\n", told).strip() + "\n"
    usage = " ".join(command.collect_usage_pieces(context)).replace("[OPTIONS] ", "")
    yield f"```text\ncepheid {context.info_name} {usage}\n```\n"
    subcommands = getattr(command, "commands", {})
    rows = [_row(parameter, context) for parameter in command.get_params(context)]
    if any(rows):
        yield "| option | |\n| --- | --- |"
        yield "\n".join(row for row in rows if row) + "\n"
    for name, each in subcommands.items():
        below = typer.Context(each, info_name=f"{context.info_name} {name}", parent=context.parent)
        yield from _section(each, below)


def _row(parameter: object, context: typer.Context) -> str | None:
    record = parameter.get_help_record(context)  # type: ignore[attr-defined]
    if record is None or "--help" in record[0]:
        return None
    names, told = (part.replace("|", "\\|").replace("\n", " ") for part in record)
    return f"| `{names}` | {told} |"
