# SPDX-License-Identifier: Apache-2.0
"""What experiments.toml declares: systems, batteries of cells, where ranks lie."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER = Path(__file__).resolve().parent
MAPPINGS = ("sequential", "cyclic")
_SIZE_STEP = 4


@dataclasses.dataclass(frozen=True)
class System:
    """A cluster whose cores have two slots each."""

    machine: str
    nodes: int
    sockets: int
    cores: int  # of a node

    @property
    def num_slots(self) -> int:
        """Return the most ranks."""
        return 2 * self.nodes * self.cores

    def placement(self, mapping: str, num_ranks: int) -> str:
        """Return the slot of each rank in the form that machines take."""
        return "list:" + ",".join(map(str, self.slots(mapping, num_ranks)))

    def slots(self, mapping: str, num_ranks: int) -> list[int]:
        """Return the slot of each rank; on a node, sockets are filled one after the other."""
        nodes = self.node_of_rank(mapping, num_ranks)
        used = [0] * self.nodes
        slots = []
        for node in nodes:
            slots.append(self._slot(node, used[node], nodes.count(node)))
            used[node] += 1
        return slots

    def node_of_rank(self, mapping: str, num_ranks: int) -> list[int]:
        """Return the node of each rank."""
        if mapping == "cyclic":
            return [rank % self.nodes for rank in range(num_ranks)]
        if num_ranks <= self.nodes * self.cores:
            return [rank // self.cores for rank in range(num_ranks)]
        share, more = divmod(num_ranks, self.nodes)
        return [node for node in range(self.nodes) for _ in range(share + (node < more))]

    def _slot(self, node: int, position: int, on_node: int) -> int:
        of_node = 2 * self.cores
        of_socket = of_node // self.sockets
        full = max(self.cores, on_node)
        socket, place = divmod(position, -(-full // self.sockets))
        return node * of_node + socket * of_socket + place


@dataclasses.dataclass(frozen=True)
class Cell:
    """A point of the study; `size` is the nominal one of a block, in bytes."""

    battery: str
    num_ranks: int
    size: int
    mapping: str


@dataclasses.dataclass(frozen=True)
class Battery:
    """All cells of one collective on one system."""

    name: str
    title: str
    system: System
    collective: str
    distribution: str
    algorithms: tuple[str, ...]
    progressions: tuple[tuple[int, int, int], ...]
    largest_exponent: int
    sample_first: int
    sample_step: int
    most_bytes: int

    @property
    def sizes(self) -> list[int]:
        """Return the nominal sizes of a block."""
        return [1 << exponent for exponent in range(self.largest_exponent + 1)]

    @property
    def ranks(self) -> list[int]:
        """Return all numbers of ranks in ascending order."""
        return sorted(p for numbers in self._progressions() for p in numbers)

    @property
    def sampled_ranks(self) -> list[int]:
        """Return those that are also simulated."""
        return sorted(
            p
            for numbers in self._progressions()
            for p in numbers[self.sample_first - 1 :: self.sample_step]
        )

    @property
    def sampled_sizes(self) -> list[int]:
        """Return those that are also simulated."""
        return self.sizes[::_SIZE_STEP]

    def _progressions(self) -> list[list[int]]:
        return [list(range(first, last + 1, step)) for first, last, step in self.progressions]

    def cells(self) -> Iterator[Cell]:
        """Return all cells, those of a number of ranks together."""
        return self._cells(self.ranks)

    def catalog_cells(self) -> Iterator[Cell]:
        """Return the cells in which the rest of the catalog takes part: not all, as it is large."""
        return self._cells(self.sampled_ranks)

    def _cells(self, ranks: Sequence[int]) -> Iterator[Cell]:
        for num_ranks, mapping, size in itertools.product(ranks, MAPPINGS, self.sizes):
            yield Cell(self.name, num_ranks, size, mapping)


@functools.cache
def batteries() -> dict[str, Battery]:
    """Return all batteries by name."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    systems = {name: System(**fields) for name, fields in declared["systems"].items()}
    return {
        fields["name"]: Battery(
            **{
                **fields,
                "system": systems[fields["system"]],
                "algorithms": tuple(fields["algorithms"]),
                "progressions": tuple(map(tuple, fields["progressions"])),
            }
        )
        for fields in declared["batteries"]
    }
