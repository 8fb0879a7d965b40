"""Sign-ins that failed, by the address they came from: after too many of them it has to wait."""

from collections import OrderedDict
from dataclasses import dataclass, field

MOST = 10  # failures
WINDOW = 600.0  # seconds in which they count
PEERS = 10_000  # addresses that are remembered


@dataclass(frozen=True, slots=True)
class Attempts:
    """The failures of the last minutes. Bounded: the address that has been quiet for longest is forgotten first."""

    by_peer: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)

    def count_failure(self, peer: str, now: float) -> None:
        """Count one."""
        self.by_peer[peer] = [*self._recent(peer, now), now][-MOST:]
        self.by_peer.move_to_end(peer)
        while len(self.by_peer) > PEERS:
            self.by_peer.popitem(last=False)

    def wait(self, peer: str, now: float) -> int:
        """The seconds after which this address may try again, 0 for now."""
        recent = self._recent(peer, now)
        return 0 if len(recent) < MOST else int(recent[0] + WINDOW - now) + 1

    def _recent(self, peer: str, now: float) -> list[float]:
        return [moment for moment in self.by_peer.get(peer, ()) if moment > now - WINDOW]
