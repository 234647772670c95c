# SPDX-License-Identifier: Apache-2.0
"""What a schedule sends between the nodes of a machine, for a placement of the ranks."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.errors import ArgumentError
from espalier.machines import machines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier._core import Amount, Placement, Traffic


@dataclasses.dataclass(frozen=True)
class Machine:
    """A machine as text or file, how ranks are put on it, and the size of what they send.

    Without a placement ranks lie as in the job of the machine file, or block. `num_bytes` is the
    size of one rank's block, or of the vector where blocks are pieces of it; None counts blocks.
    """

    text: str
    placement: str | None = None
    num_bytes: int | None = None

    @functools.cached_property
    def found(self) -> machines.Machine:
        """Return the machine itself."""
        return machines.load(self.text)

    def setting(self, num_ranks: int) -> tuple[str, str]:
        """Return machine and placement as the compiled module takes them."""
        return self.found.text, machines.setting(self.found, self.placement, num_ranks)[0]

    def placement_text(self, num_ranks: int) -> str:
        """Return the placement for people."""
        if self.placement is not None:
            return self.placement
        is_job = len(self.found.core_of_rank) == num_ranks
        return "as the job in the file" if is_job else "block"

    def place(self, num_ranks: int) -> Placement:
        """Return where the ranks lie."""
        return _core.place(*self.setting(num_ranks), num_ranks)


def block_bytes(choice: str, num_ranks: int, num_bytes: int) -> float:
    """Return the bytes of a block of the schedule; see Machine."""
    collective = choice.partition("/")[0]
    kind = next(entry for entry in _core.collectives() if entry["name"] == collective)
    num_blocks = _core.facts(choice, num_ranks)["output_blocks"]
    num_given = num_ranks if kind["has_parts"] else 1
    return num_bytes * num_given / num_blocks if num_blocks else 0.0


def _amounts(amounts: Sequence[Amount], size: float | None) -> list[dict[str, Any]]:
    # The last level is what runs a rank: everything crosses that.
    return [
        {**amount, "bytes": None if size is None else _whole(amount["blocks"] * size)}
        for amount in amounts[:-1]
    ]


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def crossing(choice: str, num_ranks: int, root: int, machine: Machine) -> dict[str, Any]:
    """Return messages, blocks and bytes that cross each level of the machine, by round.

    Raises:
        ArgumentError: if the machine has one level only: nothing is told apart then.
    """
    check_levels(machine, num_ranks)
    found = _core.traffic(choice, num_ranks, root, *machine.setting(num_ranks))
    size = None
    if machine.num_bytes is not None:
        size = block_bytes(choice, num_ranks, machine.num_bytes)
    return described(found, num_ranks, machine, size)


def check_levels(machine: Machine, num_ranks: int) -> None:
    """Raise ArgumentError if the machine has one level only: nothing is told apart then."""
    if len(machine.place(num_ranks)["levels"]) == 1:
        raise ArgumentError(
            f"expected a machine with two levels or more, got '{machine.text}'",
            "as in 'node:2 core:4'",
        )


def described(
    found: Traffic, num_ranks: int, machine: Machine, size: float | None
) -> dict[str, Any]:
    """Return what crosses each level of the machine with blocks of a size, None if it is open."""
    return {
        "machine": machine.text,
        "placement": machine.placement_text(num_ranks),
        "block_bytes": None if size is None else _whole(size),
        "levels": [level["name"] for level in machine.place(num_ranks)["levels"][:-1]],
        "rounds": [_amounts(amounts, size) for amounts in found["rounds"]],
        "total": _amounts(found["total"], size),
    }
