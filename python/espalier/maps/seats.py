# SPDX-License-Identifier: Apache-2.0
"""Where each process is to be started: node, and core inside it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from espalier._core import Level
    from espalier.machines.machines import Machine
    from espalier.maps.choosing import Site


class Seat(NamedTuple):
    """A core; both numbers in the order of the machine, the core counted inside its node."""

    node: int
    core: int


@dataclasses.dataclass(frozen=True)
class Seats:
    """The seat of the process at each position, that is of each rank of the program."""

    of_position: list[Seat]
    part_of_position: list[int]  # the package, or what else nodes first split into, in its node
    part_name: str  # what that is called; empty if nodes have no parts
    cores_are_threads: bool

    @property
    def group_of_position(self) -> list[int]:
        """Return the node of each position; on a machine that is one node the part of it."""
        if len({seat.node for seat in self.of_position}) == 1:
            return self.part_of_position
        return [seat.node for seat in self.of_position]


def num_nodes(machine: Machine) -> int:
    """Return how many hosts a machine has; one whose text names no nodes is a host itself."""
    level = _node_level(machine)
    return 1 if level is None else machine.levels[level].num_objects


def seats_of(site: Site, rank_at: Sequence[int]) -> Seats:
    """Return where the processes are to be started, for a mapping of the ranks of a site."""
    machine = site.machine
    levels = machine.place("block", machine.num_cores)["levels"]
    level = _node_level(machine)
    nodes = [0] * machine.num_cores if level is None else levels[level]["object_of_rank"]
    first_core = _firsts(nodes, range(machine.num_cores))
    inside = levels[0 if level is None else level + 1 : -1]
    part_name, parts = _parts(inside, nodes)
    cores = [site.core_of_rank[rank] for rank in rank_at]
    return Seats(
        [Seat(nodes[core], core - first_core[nodes[core]]) for core in cores],
        [parts[core] for core in cores],
        part_name,
        machine.levels[-1].name == "thread",
    )


def _node_level(machine: Machine) -> int | None:
    names = [level.name for level in machine.levels]
    return names.index("node") if "node" in names else None


def _parts(levels: Sequence[Level], nodes: Sequence[int]) -> tuple[str, list[int]]:
    """Return the first level in which nodes have parts, and the part of each core in its node."""
    for level in levels:
        objects = level["object_of_rank"]
        if level["num_objects"] > len(set(nodes)):
            first = _firsts(nodes, objects)
            parts = zip(nodes, objects, strict=True)
            return level["name"], [part - first[node] for node, part in parts]
    return "", [0] * len(nodes)


def _firsts(nodes: Sequence[int], numbers: Iterable[int]) -> dict[int, int]:
    """Return what each node's first core has."""
    first: dict[int, int] = {}
    for node, number in zip(nodes, numbers, strict=True):
        first.setdefault(node, number)
    return first
