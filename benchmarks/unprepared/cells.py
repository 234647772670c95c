# SPDX-License-Identifier: Apache-2.0
"""The cells that the study declares: what is measured where."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Cell:
    """One collective and size (bytes of the whole result) under one MPI on some hosts."""

    mpi: str
    hosts: int
    ranks_per_host: int
    rate: str
    placement: str
    collective: str
    num_bytes: int

    @property
    def name(self) -> str:
        """Return for example `openmpi/4x4/100mbit/block/allgather/1KiB`."""
        parts = [self.mpi, self.shape, self.rate, self.placement, self.collective, self.size]
        return "/".join(parts)

    @property
    def shape(self) -> str:
        """Return hosts x ranks on each."""
        return f"{self.hosts}x{self.ranks_per_host}"

    @property
    def size(self) -> str:
        """Return the bytes as a word."""
        return bytes_text(self.num_bytes).replace(" ", "")

    @property
    def num_ranks(self) -> int:
        """Return the ranks of all hosts."""
        return self.hosts * self.ranks_per_host

    @property
    def cluster(self) -> tuple[int, int, str]:
        """Return what cells have in common that can be measured on the same hosts."""
        return self.hosts, self.ranks_per_host, self.rate


def declared_cells(declared: Mapping[str, Any], *, has_all_sizes: bool = False) -> list[Cell]:
    """Return the cells of experiments.toml, those of the same hosts one after the other.

    Args:
        declared: What experiments.toml says.
        has_all_sizes: All sizes in each configuration, not one that is dealt to it.
    """
    cells = []
    for i, configuration in enumerate(declared["configuration"]):
        for k, (collective, sizes) in enumerate(declared["collectives"].items()):
            dealt = sizes if has_all_sizes else [sizes[(i + k) % len(sizes)]]
            cells += [
                Cell(**configuration, collective=collective, num_bytes=size) for size in dealt
            ]
    # The sort is stable: within the same hosts the declared order stays.
    return sorted(cells, key=lambda cell: cell.cluster)


def matching(cells: Sequence[Cell], patterns: Sequence[str]) -> list[Cell]:
    """Return the cells whose names match one of some patterns, as in `*/allgather/*`.

    Raises:
        ArgumentError: a pattern matches none.
    """
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(cell.name, pattern) for cell in cells):
            raise ArgumentError(
                f"expected a pattern for names such as {cells[0].name}, got '{pattern}'",
                "--list prints all names",
            )
    return [
        cell
        for cell in cells
        if any(fnmatch.fnmatchcase(cell.name, pattern) for pattern in patterns)
    ]
