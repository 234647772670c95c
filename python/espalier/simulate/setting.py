# SPDX-License-Identifier: Apache-2.0
"""Where a program is simulated: the machine, its ranks, and whose algorithms the MPI there has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.clusters import SimulatedCluster
from espalier.errors import ArgumentError
from espalier.launch.complaints import told
from espalier.machines import machines
from espalier.sampling import simulation

if TYPE_CHECKING:
    from espalier.machines.machines import Machine

# Programs may also have what the simulator does on its own.
PEERS = {**simulation.PEERS, "simgrid": "SimGrid's own, mostly linear"}
USUAL_PEER = simulation.DEFAULT_PEER
_NO_PROGRAM = "/dev/null/none"
_REFUSAL = re.compile(
    r"(?:Uncaught exception std::\w+: |(?=Collective '\w+' has no algorithm))(?P<text>.*)"
)


@dataclass(frozen=True)
class Setting:
    """A machine with ranks on it. `options` are further ones of the simulator, `name:value`."""

    machine: Machine
    placement: str
    num_ranks: int
    peer: str = USUAL_PEER
    options: tuple[str, ...] = ()

    @property
    def num_nodes(self) -> int:
        """Return on how many nodes there are ranks."""
        placed = self.machine.place(self.placement, self.num_ranks)
        return len(set(machines.nodes_of_ranks(placed)))

    def cluster(self) -> SimulatedCluster:
        """Return the machine for the simulator; to be entered."""
        return SimulatedCluster(self.machine.name, self.num_ranks, placement=self.placement)

    def check_options(self) -> None:
        """Ask the simulator for each option of the user whether it takes it.

        Raises:
            ArgumentError: it does not.
            MpiError: SimGrid is not installed.
            NotBuiltError: our part of the simulator is not built.
        """
        with self.cluster() as cluster:
            for option in self.options:
                if complaint := _complaint(cluster, option):
                    raise ArgumentError(
                        f"expected --smpi with a setting that the simulator takes, got '{option}':"
                        f" {complaint}",
                        "as in --smpi smpi/bcast:binomial_tree",
                    )

    def simulator_options(self) -> list[str]:
        """Return the options that are not the same for all simulations."""
        selector = "default" if self.peer == "simgrid" else self.peer
        return [f"smpi/coll-selector:{selector}", *self.options]


def _complaint(cluster: SimulatedCluster, option: str) -> str:
    """Return what the simulator says against an option, empty if nothing."""
    # It looks at all settings before it looks for the program.
    ended = cluster.run([f"--cfg={option}", _NO_PROGRAM], num_ranks=1)
    found = filter(None, map(_REFUSAL.match, told(ended.stderr)))
    return next((match["text"] for match in found), "")


def make_setting(
    machine: str, placement: str | None, num_ranks: int | None, peer: str, options: list[str]
) -> Setting:
    """Return the setting of a command line, checked.

    Raises:
        ArgumentError: a machine, placement, number of ranks, peer or option that cannot be.
    """
    if peer not in PEERS:
        raise ArgumentError(f"expected --peer {', '.join(PEERS)}, got '{peer}'")
    for option in options:
        if ":" not in option.strip(":") or any(letter.isspace() for letter in option):
            raise ArgumentError(
                f"expected --smpi NAME:VALUE, got '{option}'",
                "as in --smpi smpi/bcast:binomial_tree",
            )
    loaded = machines.load(machine)
    machines.check_simulated(loaded)
    name, count = machines.setting(loaded, placement, num_ranks)
    setting = Setting(loaded, name, count, peer, tuple(options))
    loaded.place(name, count)
    return setting
