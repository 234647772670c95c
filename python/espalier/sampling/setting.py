# SPDX-License-Identifier: Apache-2.0
"""Where ranks are."""

from __future__ import annotations

import dataclasses
from typing import Protocol

from espalier import _core
from espalier.machines import machines


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
    text = setting.machine
    is_content = text.lstrip().startswith("{")
    machine = machines.parse(text, "machine") if is_content else machines.load(text)
    return machines.nodes_of_ranks(machine.place(setting.placement, setting.num_ranks))


def class_of_placement(setting: SettingLike) -> str:
    """Return the placement that rules name; empty where ranks could not lie otherwise."""
    return _core.placement_of(nodes_of(setting))
