# SPDX-License-Identifier: Apache-2.0
"""Who is where: the levels of a job, from what its ranks say and from the round trips of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.probing import levels, matrix, nodes, places
from espalier.probing.levels import ScanLevel

if TYPE_CHECKING:
    from espalier.conditions.cautions import Caution
    from espalier.probing.matrix import Matrix
    from espalier.probing.samples import Header, Result, Samples
    from espalier.probing.splits import Split

__all__ = ["Scan", "ScanLevel", "scan"]


@dataclass(frozen=True)
class Scan:
    """The levels of a job, outermost first; the last is `core`, one object a rank.

    There is always a level `node`. `evidence` says in sentences how the levels were found,
    `splits` holds the tests behind those that were found in the matrix. `cautions` are those of
    the search for levels; `advice.with_cautions` adds what the times say against themselves.
    """

    header: Header
    matrix: Matrix
    levels: tuple[ScanLevel, ...]
    evidence: tuple[str, ...]
    splits: tuple[Split, ...]
    cautions: tuple[Caution, ...]
    complete: bool
    results: tuple[Result, ...] = ()

    @property
    def num_ranks(self) -> int:
        """Return the number of ranks."""
        return self.header.num_ranks

    def level(self, name: str) -> ScanLevel:
        """Return the level of a name; KeyError if there is none."""
        return {level.name: level for level in self.levels}[name]

    def crossing(self, rank: int, other: int) -> int:
        """Return the first level in which two ranks lie in different objects."""
        for number, level in enumerate(self.levels):
            if level.object_of_rank[rank] != level.object_of_rank[other]:
                return number
        return len(self.levels)

    def between(self, number: int) -> str:
        """Return what the link of a level joins: `between packages of a node`."""
        name = self.levels[number].name
        names = "switches" if name == "switch" else f"{name}s"
        return f"between {names}" + (f" of a {self.levels[number - 1].name}" if number else "")


def scan(samples: Samples) -> Scan:
    """Return who is where. With no results, from what the ranks say alone.

    Raises:
        ArgumentError: the round trips cannot be those of this job.
    """
    rtt = matrix.of_samples(samples)
    found_nodes = nodes.find(samples.header, rtt)
    found = levels.find(found_nodes, rtt)
    place = places.of_job(samples.header.job)
    return Scan(
        samples.header,
        rtt,
        places.named(found.levels, place),
        found.evidence,
        found.splits,
        (
            *found_nodes.cautions,
            *found.cautions,
            *nodes.contradictions(found_nodes, rtt),
            *places.cautions(place),
        ),
        samples.complete,
        samples.results,
    )
