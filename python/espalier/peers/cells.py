# SPDX-License-Identifier: Apache-2.0
"""What was compared: one collective, size, number of ranks, platform and placement a cell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

PROFILE = "profile"
MODEL = "model"
BEST = "best"
OURS = (PROFILE, MODEL, BEST)


@dataclass(frozen=True)
class Outcome:
    """What one contender did in one cell.

    `us` is None if there is no time, and `note` says why; else `choice` is the algorithm that ran,
    where that is known. `low_us` and `high_us` are the ends of an interval of measured times,
    `ratio_low` and `ratio_high` that of peer / ours; simulated ones are exact.
    """

    us: float | None
    choice: str = ""
    note: str = ""
    low_us: float | None = None
    high_us: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        return {
            "us": self.us,
            "low_us": self.low_us,
            "high_us": self.high_us,
            "ratio_low": self.ratio_low,
            "ratio_high": self.ratio_high,
            "choice": self.choice,
            "note": self.note,
        }


@dataclass(frozen=True, order=True)
class PlatformCell:
    """Where ranks ran."""

    platform: str
    placement: str
    num_ranks: int

    @property
    def label(self) -> str:
        """Return the place in a few words."""
        return f"{self.platform} {self.placement} p={self.num_ranks}"


@dataclass(frozen=True)
class Cell:
    """One line of the table. `bytes` is what the call could have, `asked_bytes` what was asked."""

    place: PlatformCell
    collective: str
    asked_bytes: int
    bytes: int
    ours: Mapping[str, Outcome] = field(default_factory=dict)
    peers: Mapping[str, Outcome] = field(default_factory=dict)
    bound_us: float | None = None

    def best_peer(self) -> tuple[str, float] | None:
        """Return the fastest peer and its time; None if no peer has one."""
        times = {name: peer.us for name, peer in self.peers.items() if peer.us is not None}
        if not times:
            return None
        name = min(times, key=lambda peer: times[peer])
        return name, times[name]

    def ratio(self, which: str) -> float | None:
        """Return the time of the best peer divided by ours: above 1 we are faster."""
        best = self.best_peer()
        ours = self.ours.get(which)
        if best is None or ours is None or ours.us is None:
            return None
        return best[1] / ours.us

    def is_certain(self, which: str) -> bool:
        """Return whether the interval of the ratio, if it has one, is all on one side of 1."""
        ours = self.ours[which]
        if ours.ratio_low is None or ours.ratio_high is None:
            return True
        return ours.ratio_low > 1 or ours.ratio_high < 1

    def missing_peers(self) -> list[str]:
        """Return the peers that have no time."""
        return [name for name, peer in self.peers.items() if peer.us is None]

    def to_json(self) -> dict[str, Any]:
        """Return the cell as plain data."""
        best = self.best_peer()
        return {
            "platform": self.place.platform,
            "placement": self.place.placement,
            "num_ranks": self.place.num_ranks,
            "collective": self.collective,
            "asked_bytes": self.asked_bytes,
            "bytes": self.bytes,
            "ours": {name: outcome.to_json() for name, outcome in self.ours.items()},
            "peers": {name: outcome.to_json() for name, outcome in self.peers.items()},
            "best_peer": None if best is None else best[0],
            "ratios": {name: self.ratio(name) for name in self.ours},
            "bound_us": self.bound_us,
        }
