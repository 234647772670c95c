# SPDX-License-Identifier: Apache-2.0
"""Ranks that the user's launcher starts: who they are is asked before anything is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.errors import ArgumentError
from espalier.launch import programs
from espalier.sampling.measurement import Effort, Measurer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.launch.command import LaunchCommand

# Only starts the ranks.
_HEADER_ONLY = Effort(5.0, 1.0, 1, 1, 1.0)


@dataclass(frozen=True)
class Job:
    """What measures with these ranks, by which MPI, and what the ranks said of themselves."""

    measurer: Measurer
    vendor: str
    header: dict[str, Any]
    command: LaunchCommand

    def on_groups(
        self, groups: Sequence[Sequence[int]], num_nodes: int, placement: str = ""
    ) -> Job:
        """Return the job with communicators of some of the ranks, each on so many nodes."""
        return Job(
            Measurer(self.command, self.vendor, groups),
            self.vendor,
            {
                **self.header,
                "num_ranks": len(groups[0]),
                "num_nodes": num_nodes,
                "placement": placement,
            },
            self.command,
        )


def start_job(command: LaunchCommand, vendor: str | None = None) -> Job:
    """Start the ranks once. The vendor is that of the launcher unless it is given.

    Raises:
        ArgumentError: there are fewer than two ranks.
        MpiError: the launcher or the program failed.
        NotBuiltError: there is no measuring program for this MPI.
    """
    name = vendor or programs.vendor_of(command)
    measurer = Measurer(command, name)
    header = measurer.run([], _HEADER_ONLY, lambda _: None).header
    if header["num_ranks"] < 2:
        raise ArgumentError(
            f"expected at least 2 ranks, '{command.text()}' started {header['num_ranks']}",
            "ask for more, as in: -- mpirun -n 4",
        )
    return Job(measurer, name, header, command)
