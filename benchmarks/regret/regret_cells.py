# SPDX-License-Identifier: Apache-2.0
"""The cells of the study of regret: a call of one size, in one place, under one MPI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.sampling.candidates import real_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_WITH_PARTS = frozenset(("allgather", "alltoall", "gather", "reduce_scatter_block", "scatter"))


@dataclass(frozen=True)
class Place:
    """Ranks on a machine, and whose algorithms native calls have."""

    platform: str
    machine: str
    placement: str
    num_ranks: int
    peer: str


@dataclass(frozen=True)
class Cell:
    """A call of so many bytes of the whole result.

    A loop that learns makes `num_calls` of it, one that remembers `later_calls`, others make
    `plain_calls`.
    """

    place: Place
    collective: str
    num_bytes: int
    num_calls: int
    plain_calls: int
    later_calls: int

    @property
    def own_bytes(self) -> int:
        """Return the bytes of a rank's block, or those of the vector."""
        return self.num_bytes // (self.place.num_ranks if self.collective in _WITH_PARTS else 1)

    @property
    def key(self) -> tuple[str, str, int, str, str, int]:
        """Return what is different in each cell."""
        one = self.place
        return (
            *(one.platform, one.placement, one.num_ranks, one.peer),
            *(self.collective, self.num_bytes),
        )


def cells_of(declared: Mapping[str, Any], platforms: Sequence[Mapping[str, Any]]) -> Iterator[Cell]:
    """Return the declared cells: in each place the first size of all collectives, then others."""
    for run in declared["run"]:
        for place in places_of(run, platforms):
            for number in range(len(run["sizes"])):
                yield from _cells(run, place, number)


def _cells(run: Mapping[str, Any], place: Place, number: int) -> Iterator[Cell]:
    """Return the cells with a size that is in this place of the lists."""
    for collective in run["collectives"]:
        asked = run.get("sizes_of", {}).get(collective, run["sizes"])
        if number < len(asked):
            size = real_size(collective, asked[number], place.num_ranks)
            calls = (run["calls"], run["plain_calls"], run["later_calls"])
            yield Cell(place, collective, size, *calls)


def places_of(run: Mapping[str, Any], platforms: Sequence[Mapping[str, Any]]) -> Iterator[Place]:
    """Return the place of a declared run, once for each peer."""
    machine = {one["name"]: one["machine"] for one in platforms}[run["platform"]]
    for peer in run["peers"]:
        yield Place(run["platform"], machine, run["placement"], run["ranks"], peer)


def best_known(cell: Cell, peers: Mapping[str, Any]) -> str:
    """Return the fastest choice that the comparison with peers found; empty if it has none."""
    place = cell.place
    wanted = (place.platform, place.placement, place.num_ranks, cell.collective, cell.num_bytes)
    names = ("platform", "placement", "num_ranks", "collective", "bytes")
    for found in peers["cells"]:
        if tuple(found[name] for name in names) == wanted:
            return str(found["ours"].get("best", {}).get("choice", ""))
    return ""
