# SPDX-License-Identifier: Apache-2.0
"""Tables of trees of puts beside the rooted collectives of two MPIs, and of what is published."""

from __future__ import annotations

import dataclasses
import statistics
from typing import TYPE_CHECKING, Any

from simulated_times import table

from espalier.base.units import bytes_text, three_digits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, Any]

MANNERS = ("strict", "apart", "loose")
_REASONS = {
    "bcast": "Flags synchronize before the data and behind them, and a barrier between calls once. "
    "A vendor's library has other algorithms, and memory that the ranks of a node share, where "
    "nodes have one rank here.",
    "scatter": "Both MPIs take a binomial tree for short blocks, whatever the machine, and ours "
    "the radix that suits it; a vendor's library may suit its machine, too.",
    "gather": "Flags synchronize twice. A put costs its target nothing in the simulator, so that "
    "even flat trees are good, while the source reports that interfaces limit how many can send "
    "to one at once.",
    "reduce": "Flags synchronize twice. A put costs its target nothing, and combining costs "
    "nothing on either side. From 2 KiB on MPICH scatters the work and gathers the result, which "
    "no tree does.",
}


@dataclasses.dataclass(frozen=True)
class Gains:
    """By how many percent ours is shorter than the faster MPI, at several sizes."""

    percents: Sequence[float]

    @property
    def median(self) -> float:
        """Return the middle one."""
        return statistics.median(self.percents)

    def __str__(self) -> str:
        """Return the least, the median and the greatest."""
        numbers = (min(self.percents), self.median, max(self.percents))
        return " / ".join(f"{round(number)}" for number in numbers)


def ratios(row: Row) -> list[float]:
    """Return native / ours of each library, above 1 where ours is faster."""
    return [us / row["us"] for us in row["theirs_us"].values()]


def gains(rows: Sequence[Row], call: str, manner: str, most_bytes: int) -> Gains:
    """Return what a collective gains, or loses, up to a size."""
    chosen = [row for row in rows if (row["call"], row["manner"]) == (call, manner)]
    small = [row for row in chosen if row["bytes"] <= most_bytes]
    return Gains([100 * (1 - 1 / min(ratios(row))) for row in small])


def calls(rows: Sequence[Row]) -> list[str]:
    """Return the collectives, as they were measured."""
    return list(dict.fromkeys(row["call"] for row in rows))


def time_table(rows: Sequence[Row], peers: Mapping[str, str]) -> str:
    """Return all times: of the fastest tree, and of each library with native / ours."""
    order = calls(rows)
    ordered = sorted(
        rows, key=lambda row: (order.index(row["call"]), MANNERS.index(row["manner"]), row["bytes"])
    )
    shown = [
        [
            row["call"],
            row["manner"],
            bytes_text(row["bytes"]),
            f"{three_digits(row['us'])}, {row['tree']}",
            *(_beside(row, peer) for peer in peers),
        ]
        for row in ordered
    ]
    names = [f"{name}: us, native / ours" for name in peers.values()]
    return table(["collective", "manner", "size", "ours: us", *names], shown)


def _beside(row: Row, peer: str) -> str:
    us = row["theirs_us"][peer]
    return f"{three_digits(us)}, {us / row['us']:.2f}x"


def gain_table(
    rows: Sequence[Row], published: Mapping[str, Sequence[float]], most_bytes: int
) -> str:
    """Return gains beside those of table 5.2, which are median and greatest."""
    shown = [
        [
            call,
            *(str(gains(rows, call, manner, most_bytes)) for manner in MANNERS),
            " / ".join(map(str, published[call])),
        ]
        for call in calls(rows)
    ]
    return table(["collective", *MANNERS, "published: median / greatest"], shown)


def statement_table(rows: Sequence[Row], published: Mapping[str, str], most_bytes: int) -> str:
    """Return what is published of each collective, whether ours agrees, and why it deviates."""
    shown = [
        [
            call,
            published[call],
            verdict(rows, call, most_bytes),
            synchronization(rows, call),
            _REASONS[call],
        ]
        for call in calls(rows)
    ]
    head = ["collective", "published of Ranger", "ours gains, too", "ours, strict / loose"]
    return table([*head, "why ours deviates"], shown)


def synchronization(rows: Sequence[Row], call: str) -> str:
    """Return how many times a loose call a strict one takes, at the least size and the greatest."""
    us = {(row["manner"], row["bytes"]): row["us"] for row in rows if row["call"] == call}
    sizes = sorted({size for _, size in us})
    return ", ".join(
        f"{us['strict', size] / us['loose', size]:.2f} at {bytes_text(size)}"
        for size in (sizes[0], sizes[-1])
    )


def verdict(rows: Sequence[Row], call: str, most_bytes: int) -> str:
    """Return in which manners the median is a gain, as the published one is."""
    found = [one for one in MANNERS if gains(rows, call, one, most_bytes).median > 0]
    if len(found) == len(MANNERS):
        return "yes"
    return f"{' and '.join(found)} only" if found else "no"


def lost_sentence(rows: Sequence[Row], peers: Mapping[str, str]) -> str:
    """Say how often ours is slower than a library, and where most."""
    slower = [ratio for row in rows for ratio in ratios(row) if ratio < 1]
    total = len(rows) * len(peers)
    if not slower:
        return f"Ours is slower in none of {total} comparisons."
    worst = min(rows, key=lambda row: min(ratios(row)))
    peer = min(peers, key=lambda one: worst["theirs_us"][one])
    return (
        f"Ours is slower in {len(slower)} of {total} comparisons, most in {worst['manner']} "
        f"{worst['call']} of {bytes_text(worst['bytes'])}, where {peers[peer]} takes "
        f"{min(slower):.2f} of its time."
    )
