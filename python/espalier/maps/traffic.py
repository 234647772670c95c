# SPDX-License-Identifier: Apache-2.0
"""The counted traffic of a run as a problem: who should run on which of the hosts that it had."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any

from espalier.errors import ArgumentError
from espalier.machines import machines
from espalier.maps import choosing
from espalier.maps.edges import EdgeProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier._core import MappingResult
    from espalier.launch.traffic import Traffic
    from espalier.maps.choosing import Site

# What another placement has to save of the bytes between nodes, so that a file is worth its while.
MARGIN = 0.05


@dataclasses.dataclass(frozen=True)
class TrafficProblem(EdgeProblem):
    """Bytes between ranks, as they were counted."""

    traffic: Traffic

    @property
    def num_ranks(self) -> int:
        """Return the number of ranks of the run; some of them may have sent nothing."""
        return self.traffic.num_ranks

    @property
    def unit(self) -> str:
        """Return what weights of messages count."""
        return "bytes"


@dataclasses.dataclass(frozen=True)
class Leaving:
    """Bytes between nodes, and those that leave the node which most leave."""

    total: int
    worst: int
    worst_node: int


@dataclasses.dataclass(frozen=True)
class Judgement:
    """What a placement saves, of the bytes between nodes and of those of the worst node."""

    before: Leaving
    after: Leaving
    margin: float = MARGIN

    @property
    def saved(self) -> float:
        """Return the share of what leaves nodes that would stay in them."""
        return _saved(self.before.total, self.after.total)

    @property
    def saved_at_worst(self) -> float:
        """Return that of the worst node."""
        return _saved(self.before.worst, self.after.worst)

    @property
    def helps(self) -> bool:
        """Return whether one of both is saved by the margin, and nothing is lost by the other."""
        shares = (self.saved, self.saved_at_worst)
        return max(shares) >= self.margin and min(shares) >= 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the judgement as plain data."""
        return {
            "before": dataclasses.asdict(self.before),
            "after": dataclasses.asdict(self.after),
            "saved": self.saved,
            "saved_at_worst": self.saved_at_worst,
            "margin": self.margin,
            "helps": self.helps,
        }


def problem_of(traffic: Traffic) -> TrafficProblem:
    """Return the graph of a run.

    Raises:
        ArgumentError: nobody sent anything that is counted.
    """
    edges = [(*pair, float(size)) for pair, size in sorted(traffic.sent.items()) if size]
    if not edges:
        raise ArgumentError(
            f"expected messages between ranks in {traffic.origin}, got none",
            "rooted collectives and reductions are not counted, as their pairs depend on the"
            " algorithm; with these alone another placement is a matter of 'espalier tune'",
        )
    return TrafficProblem(traffic.origin, edges, traffic)


def site_of(traffic: Traffic) -> Site:
    """Return the hosts of a run as a machine, with a core for each of their ranks."""
    counts = collections.Counter(traffic.node_of_rank)
    most = max(counts.values())
    seen: collections.Counter[int] = collections.Counter()
    cores = []
    for node in traffic.node_of_rank:
        cores.append(node * most + seen[node])
        seen[node] += 1
    machine = machines.load(f"{len(counts)}n x {most}c")
    placement = "list:" + ",".join(map(str, cores))
    site = choosing.site_of(machine, placement, traffic.num_ranks)
    return dataclasses.replace(site, is_of_run=True)


def judge(traffic: Traffic, before: Sequence[int], result: MappingResult) -> Judgement:
    """Compare the node of each rank before with that of the rank in whose place it would be.

    Args:
        traffic: What was counted.
        before: The node of each rank as it is.
        result: Whose place each rank would take.
    """
    after = [before[rank] for rank in result["rank_at"]]
    return Judgement(leaving(traffic, before), leaving(traffic, after))


def leaving(traffic: Traffic, node_of_rank: Sequence[int]) -> Leaving:
    """Return what goes between nodes if ranks run so."""
    of_node = traffic.leaving(node_of_rank)
    worst = max(of_node, key=lambda node: of_node[node])
    return Leaving(sum(of_node.values()), of_node[worst], worst)


def _saved(before: int, after: int) -> float:
    return 1.0 - after / before if before else 0.0
