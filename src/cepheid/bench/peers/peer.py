"""What a peer is to the benchmark."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from cepheid.bench.peers.sizes import PeerSizes

Count = Callable[[], int]
"""A run over all events, which tells how many matches there are."""


@dataclass(frozen=True, slots=True)
class PeerGround:
    """What all peers run on."""

    sizes: PeerSizes
    events: pa.Table
    for_java: Path  # the same events, as Peer.java reads them
    folder: Path


@dataclass(frozen=True, slots=True)
class ReadyPeer:
    """A peer that has started: what it can be asked for."""

    version: str
    runs: Mapping[str, Count]  # by the pattern's name
    source: Count | None = None  # reads the events and looks for nothing; its time is taken off
    events: int | None = None  # takes so many of the events, if not all
    differs: Mapping[str, str] = field(
        default_factory=dict
    )  # patterns that mean something else to it, and what
    unsaid: Mapping[str, str] = field(default_factory=dict)  # patterns that it has no words for, and why


@dataclass(frozen=True, slots=True)
class Peer:
    """One of those that a newcomer would use instead."""

    name: str
    how: str  # it is asked, in a sentence
    start: Callable[[PeerGround], AbstractContextManager[ReadyPeer]]
