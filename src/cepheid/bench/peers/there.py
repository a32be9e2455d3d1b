"""Who of the peers is there, and why the others are not."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from cepheid.bench.peers.peer import Peer, PeerGround, ReadyPeer
from cepheid.bench.peers.skipped import PeerSkippedError
from cepheid.bench.results import Section
from cepheid.bench.terminal import say


@dataclass(frozen=True, slots=True)
class Guest:
    """A peer that has started, or the step that it failed at."""

    peer: Peer
    ready: ReadyPeer | None
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Company:
    """All peers, on one ground."""

    ground: PeerGround
    guests: tuple[Guest, ...]

    def section(self) -> Section:
        """A row for each."""
        rows = tuple(
            {
                "peer": guest.peer.name,
                "version": guest.ready.version if guest.ready else "–",
                "skipped at": guest.skipped or "–",
                "how it is asked": guest.peer.how,
            }
            for guest in self.guests
        )
        return Section("Who is there", "A peer is skipped at the first step that fails.", rows)


def gathered(peers: Sequence[Peer], ground: PeerGround, stack: ExitStack) -> Iterator[Guest]:
    """Start all peers; the stack ends them."""
    for peer in peers:
        say(f"starting {peer.name} …")
        try:
            yield Guest(peer, stack.enter_context(peer.start(ground)))
        except PeerSkippedError as skipped:
            say(f"{peer.name} is skipped at {skipped}")
            yield Guest(peer, None, str(skipped))
