"""Why a peer is not measured."""


class PeerSkippedError(Exception):
    """A step failed that a peer needs; what can be measured without it goes on."""

    def __init__(self, step: str, why: str) -> None:
        lines = [line.strip() for line in why.splitlines() if line.strip()]
        super().__init__(f"{step}: {lines[-1] if lines else 'it gave no reason'}")
        self.step = step
