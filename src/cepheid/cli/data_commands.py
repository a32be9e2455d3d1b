"""The commands that make data, and that find nodes in documents."""

from typing import Annotated

import typer


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
