"""A matcher and the document that it reads, as named arrays and values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.compacting import compact
from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.matchers.twig.scan import layout as scanned
from cepheid.matchers.twig.scan.doctype import DocumentType
from cepheid.matchers.twig.scan.document import Document
from cepheid.matchers.twig.scan.encodings import Transcoding
from cepheid.matchers.twig.scan.room import longer, names_again
from cepheid.matchers.twig.scan.scanner import joined_places
from cepheid.matchers.twig.scan.uris import NamespaceNumbers
from cepheid.matchers.twig.state import longer_table


def save_matcher(matcher: TwigMatcher, into: Snapshot) -> None:
    """Keep what is undecided. The rows that are told have been asked for."""
    m, st = matcher.state, matcher.state.state
    compact(m)
    lengths = {
        "state": len(st),
        "layers": st[at.TOP] + 1,
        "heap": st[at.USED],
        "rows": st[at.USED_ROWS],
        "texts": st[at.TEXT_SIZE],
        "values": st[at.VALUE_SIZE],
        "attributes": st[at.ATTRIBUTES],
    }
    into.arrays |= {name: getattr(m, name)[:length].copy() for name, length in lengths.items()}


def load_matcher(matcher: TwigMatcher, snapshot: Snapshot) -> None:
    """Go on with what was undecided; the names are learnt again."""
    m = matcher.state
    saved = {
        name: snapshot.arrays[name] for name in ("layers", "heap", "rows", "texts", "values", "attributes")
    }
    matcher.state = m._replace(
        state=snapshot.arrays["state"].copy(),
        **{name: longer_table(array, len(getattr(m, name))) for name, array in saved.items()},
    )


def save_document(document: Document, into: Snapshot) -> None:
    """Keep how far a document was read, in the middle of a tag too."""
    scanner = document.scanner
    scan, st = scanner.scan, scanner.scan.state
    count = int(st[scanned.NAMES])
    into.arrays |= {
        "scan_state": st.copy(),
        "open": scan.open[: st[scanned.DEPTH]].copy(),
        "name_starts": scan.names.starts[:count].copy(),
        "name_ends": scan.names.ends[:count].copy(),
        "letters": scan.names.letters[: st[scanned.NAME_BYTES]].copy(),
        "facts": scan.names.facts[:count].copy(),
        "declarations": scan.declarations[: st[scanned.DECLARATIONS]].copy(),
        "rest": np.frombuffer(b"".join([scanner.rest, *scanner.parts]), np.uint8),
        "places": joined_places([scanner.places, *scanner.part_places]),
        "raw": np.frombuffer(document.raw, np.uint8),
    }
    into.values |= {"offset": scanner.offset, "lines": scanner.lines}
    into.values["namespaces"] = list(scanner.namespaces.numbers)
    into.values["declared"] = None if scanner.type is None else sorted(scanner.type.declared)
    into.values["head"] = None if document.head is None else document.head.hex()
    coding = document.transcoding
    into.values["transcoding"] = (
        None if coding is None else [coding.encoding, coding.offset, coding.line, coding.rest.hex()]
    )


def load_document(document: Document, snapshot: Snapshot) -> None:
    """Go on where a document was read to."""
    scanner, arrays, values = document.scanner, snapshot.arrays, snapshot.values
    scan, state = scanner.scan, arrays["scan_state"].copy()
    names = scan.names._replace(
        starts=arrays["name_starts"],
        ends=arrays["name_ends"],
        letters=arrays["letters"],
        facts=arrays["facts"],
    )
    scanner.scan = scan._replace(
        state=state,
        open=longer(arrays["open"], len(scan.open)),
        names=names_again(state, names),
        declarations=longer(arrays["declarations"], len(scan.declarations)),
    )
    scanner.namespaces = NamespaceNumbers({name: k for k, name in enumerate(values["namespaces"])})
    scanner.rest, scanner.places = arrays["rest"].tobytes(), arrays["places"]
    scanner.offset, scanner.lines = values["offset"], values["lines"]
    scanner.type = _type_of(values["declared"])
    document.head = None if values["head"] is None else bytes.fromhex(values["head"])
    if values["transcoding"] is not None:
        encoding, offset, line, rest = values["transcoding"]
        document.transcoding = Transcoding(encoding, offset, line, bytes.fromhex(rest))
        document.raw = arrays["raw"].tobytes()


def _type_of(declared: Any) -> DocumentType | None:
    return None if declared is None else DocumentType(set(declared))
