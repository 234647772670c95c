# SPDX-License-Identifier: Apache-2.0
"""Where ranks are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Protocol

from espalier import _core
from espalier.machines import machines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Setting:
    """A machine (as text: short form or file), where ranks lie on it, and how many there are."""

    machine: str
    placement: str
    num_ranks: int


class SettingLike(Protocol):
    """What says where ranks are."""

    @property
    def machine(self) -> str:
        """Return a text, or the name of a file."""

    @property
    def placement(self) -> str:
        """Return the placement."""

    @property
    def num_ranks(self) -> int:
        """Return the number of ranks."""


def nodes_of(setting: SettingLike) -> list[int]:
    """Return the node of each rank."""
    machine = _machine_of(setting)
    return machines.nodes_of_ranks(machine.place(setting.placement, setting.num_ranks))


def _machine_of(setting: SettingLike) -> machines.Machine:
    text = setting.machine
    is_content = text.lstrip().startswith("{")
    return machines.parse(text, "machine") if is_content else machines.load(text)


def class_of_placement(setting: SettingLike) -> str:
    """Return the placement that rules name; empty where ranks could not lie otherwise."""
    return _core.placement_of(nodes_of(setting))


def difference(setting: SettingLike, header: Mapping[str, Any]) -> str:
    """Return how a job has its ranks on other nodes than the machine; empty if it has not.

    Nodes are compared by which ranks they have, since jobs and machines number them in their own
    ways. A machine without a level of nodes may be one node.
    """
    job = _nodes_of_job(header)
    known = _numbered(nodes_of(setting))
    if not job or job == known:
        return ""
    levels = _machine_of(setting).levels
    if len(set(job)) == 1 and all(level.name != "node" for level in levels):
        return ""
    rank = next(rank for rank, pair in enumerate(zip(known, job, strict=True)) if len({*pair}) > 1)
    return (
        f"the machine has the ranks on {_told(known)}, the job on {_told(job)}: rank {rank} is on"
        f" node {known[rank]} there and on node {job[rank]} here"
    )


def _nodes_of_job(header: Mapping[str, Any]) -> list[int]:
    """Return the node of each rank; empty if it is not known."""
    if header["num_nodes"] == 1:
        return [0] * header["num_ranks"]
    return _numbered(header.get("node_of_rank", ()))


def _numbered(nodes: Sequence[int]) -> list[int]:
    """Return nodes with numbers from 0, in the order in which they first occur."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(node, len(numbers)) for node in nodes]


def _told(nodes: Sequence[int]) -> str:
    num_nodes = len(set(nodes))
    placement = _core.placement_of(nodes)
    return f"{num_nodes} node{'s' * (num_nodes > 1)}" + (f" ({placement})" if placement else "")
