"""What reaches the kernels of XML."""

import numpy as np

from cepheid.matchers.twig.scan.scanner import Scanner
from cepheid.sources.xml_cuts import CutSizes, cuts_of
from cepheid.xml import xml


def scan() -> None:
    """A document with more names than there is room for, types of attributes, one of them beyond ASCII, and a
    tag in pieces."""
    names = [f"n{number}" for number in range(600)]
    kind = "<!DOCTYPE r [<!ATTLIST r i ID #IMPLIED é CDATA #IMPLIED>]>"
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


def cut() -> None:
    """A document whose parts begin behind a comment."""
    data = np.frombuffer(b"<r>" + b"<p><a/><b/></p><!-- c -->" * 100 + b"</r>", np.uint8)
    for _ in cuts_of(data, 0, 2, CutSizes(window=100, lead=100)):
        pass
