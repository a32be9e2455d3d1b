"""Documents to rows by the compiled tokenizer."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.matchers.twig.scan.document import Document
from cepheid.matchers.twig.scan.scanner import Scanner


class ScannedDocument:
    """One document, whose tokens a matcher takes in as they are made."""

    def __init__(
        self, matcher: TwigMatcher, max_depth: int, max_text: int, entities: Mapping[str, str]
    ) -> None:
        self.document = Document(Scanner(max_depth, max_text, entities, matcher.read, matcher.naming.known))

    def feed(self, chunk: bytes) -> None:
        """Read one more chunk."""
        for _ in self.document.push(chunk):
            raise AssertionError("the matcher takes in all tokens")

    def close(self) -> None:
        """The end of the document."""
        for _ in self.document.close():
            raise AssertionError("the matcher takes in all tokens")


class ScannedStream:
    """Documents that follow each other in one stream of bytes."""

    def __init__(
        self, matcher: TwigMatcher, max_depth: int, max_text: int, entities: Mapping[str, str]
    ) -> None:
        self._matcher = matcher
        scanner = Scanner(max_depth, max_text, entities, matcher.read, matcher.naming.known)
        scanner.is_stream = True
        self.document = Document(scanner)

    def feed(self, chunk: bytes) -> list[pa.Table]:
        """Read one more chunk: the rows of each document in it that became certain."""
        tables = []
        while True:
            for _ in self.document.push(chunk):
                raise AssertionError("the matcher takes in all tokens")
            tables.append(self._matcher.rows())
            scanner = self.document.scanner
            if scanner.following is None:
                return tables
            chunk = scanner.following
            scanner.begin_again()
            self._matcher.begin_again()
            self.document = Document(scanner)

    def close(self) -> None:
        """The end of the last document."""
        for _ in self.document.close():
            raise AssertionError("the matcher takes in all tokens")
