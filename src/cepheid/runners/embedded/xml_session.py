"""A session on a stream of XML: bytes in, cut anywhere, and the rows that became certain out."""

from __future__ import annotations

import pyarrow as pa

from cepheid.errors import CepheidError, SnapshotError
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.matchers.twig.saving import load_document, load_matcher, save_document, save_matcher
from cepheid.sources.xml_scan import ScannedStream


class XmlSession:
    """Finds the nodes of a pattern in documents that follow each other.

    Rows come with the bytes that make them certain. Offsets are those of the whole stream.
    """

    def __init__(self, matcher: TwigMatcher, stream: ScannedStream, fingerprint: str) -> None:
        self._matcher, self._stream, self._fingerprint = matcher, stream, fingerprint
        self._is_begun = False
        self._ended: str | None = None  # why nothing can be pushed any more

    def push(self, chunk: bytes) -> pa.Table:
        """The rows that these bytes make certain, in document order."""
        if self._ended is not None:
            raise CepheidError(self._ended)
        if not isinstance(chunk, (bytes, bytearray, memoryview)):
            raise CepheidError(f"push() takes bytes, not {type(chunk).__name__}")
        self._is_begun = self._is_begun or len(chunk) > 0
        try:
            tables = self._stream.feed(bytes(chunk))
            return tables[0] if len(tables) == 1 else pa.concat_tables(tables)
        except CepheidError:
            self._ended = "the session has met a document that is wrong: open another one"
            raise

    def close(self) -> pa.Table:
        """The stream ends: its last document must be whole."""
        if self._ended is None and self._is_begun:
            self._stream.close()
        self._ended = "the session is closed"
        return self._matcher.rows()

    def snapshot(self) -> bytes:
        """All that is needed to go on elsewhere, even in the middle of a tag."""
        if self._ended is not None:
            raise SnapshotError(self._ended)
        saved = Snapshot(self._fingerprint, values={"is_begun": self._is_begun})
        save_matcher(self._matcher, saved)
        save_document(self._stream.document, saved)
        return saved.to_bytes()

    def restore(self, saved: Snapshot) -> None:
        """Go on where a snapshot was taken."""
        if saved.fingerprint != self._fingerprint:
            raise SnapshotError("the snapshot is of another pattern, or of other options")
        self._is_begun = saved.values["is_begun"]
        load_matcher(self._matcher, saved)
        load_document(self._stream.document, saved)
