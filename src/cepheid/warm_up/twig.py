"""What reaches the kernels of XML."""

from cepheid.matchers.twig.scan.scanner import Scanner
from cepheid.xml import xml


def scan() -> None:
    """A document with more names than there is room for, types of attributes, and a tag in pieces."""
    names = [f"n{number}" for number in range(600)]
    kind = "<!DOCTYPE r [<!ATTLIST r i ID #IMPLIED>]>"
    scanner = Scanner(max_depth=1000, max_text=1 << 20)
    for piece in (f"{kind}<r>{''.join(f'<{name}/>' for name in names)}<a ", "x='", "'/></r>"):
        for _ in scanner.push(piece.encode()):
            pass
    scanner.close()


def match() -> None:
    """A document with rows, by its bytes and by the tokens of another parser; its text needs more room."""
    pattern = xml("//a->A(/b->B)")
    for parser in ("fast", "expat"):
        pattern.run(b"<r><a i='1'><b>" + b"x" * 100_000 + b"</b></a></r>", parser)
