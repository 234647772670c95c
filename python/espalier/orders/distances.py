# SPDX-License-Identifier: Apache-2.0
"""How far ranks are from each other, and which of them form groups: what orders are made from."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from espalier import _core
from espalier.base.units import parse_integers
from espalier.errors import ArgumentError
from espalier.machines import machines
from espalier.probing import groups as clustering
from espalier.probing import matrix_file
from espalier.probing.matrix import completed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

USUAL_BYTES = 16384
_USUAL_CHANNELS = 2.0


@dataclass(frozen=True)
class Channels:
    """Messages at the same time without losing bandwidth, inf for any number.

    `origin` is given, machine, or assumed.
    """

    across: float
    inside: float
    origin: str

    def to_json(self) -> dict[str, Any]:
        """Return plain data; null for any number."""
        return {
            "across": None if math.isinf(self.across) else self.across,
            "inside": None if math.isinf(self.inside) else self.inside,
            "origin": self.origin,
        }


@dataclass(frozen=True)
class Distances:
    """Round trips of messages of `num_bytes` bytes between ranks; rows send first.

    `unit` is us, or levels where a machine does not say how fast its links are. `group_of_rank`
    counts from 0.
    """

    rtt: list[list[float]]
    unit: str
    num_bytes: int | None
    group_of_rank: tuple[int, ...]
    groups_origin: str
    channels: Channels
    source: dict[str, str]
    times_of_machine: Callable[[int], list[list[float]]] | None = None

    @property
    def num_ranks(self) -> int:
        """Return the number of ranks."""
        return len(self.rtt)

    @property
    def groups(self) -> list[list[int]]:
        """Return the ranks of each group."""
        found: list[list[int]] = [[] for _ in range(max(self.group_of_rank) + 1)]
        for rank, group in enumerate(self.group_of_rank):
            found[group].append(rank)
        return found

    def times(self, num_bytes: int) -> list[list[float]]:
        """Return round trips of messages of another size.

        A machine knows them. Those of a matrix grow with the size, as if nothing took time to
        start; they are the same where nothing is known of the size, or messages were empty.
        """
        if self.times_of_machine is not None:
            return self.times_of_machine(num_bytes)
        if self.unit != "us" or not self.num_bytes:
            return self.rtt
        scale = num_bytes / self.num_bytes
        return [[scale * time for time in row] for row in self.rtt]

    def with_groups(self, text: str) -> Distances:
        """Return the same with groups as in `0-3/4,6,7`; `auto` keeps what was found, `none`.

        Raises:
            ArgumentError: a rank is in no group or in several.
        """
        if text == "auto":
            return self
        labels = [0] * self.num_ranks if text == "none" else _labels(text, self.num_ranks)
        return replace(self, group_of_rank=tuple(labels), groups_origin="given")

    def with_channels(self, across: float | None, inside: float | None) -> Distances:
        """Return the same with other channels; None keeps them."""
        if across is None and inside is None:
            return self
        given = Channels(
            self.channels.across if across is None else across,
            self.channels.inside if inside is None else inside,
            "given" if across is not None else self.channels.origin,
        )
        if not (given.across >= 1 and given.inside >= 1):
            raise ArgumentError(
                f"expected at least 1 channel, got {min(given.across, given.inside):g}"
            )
        return replace(self, channels=given)


def of_matrix(path: Path) -> Distances:
    """Return distances from a file of round-trip times, with the groups that they show.

    Raises:
        FileError: it cannot be read.
        FormatError: it is not a matrix, or has holes.
    """
    matrix = matrix_file.read(path, allow_holes=False)
    labels, origin = _found_groups(matrix.rtt_us)
    return Distances(
        rtt=matrix.rtt_us.tolist(),
        unit="us",
        num_bytes=matrix.num_bytes,
        group_of_rank=labels,
        groups_origin=origin,
        channels=Channels(_USUAL_CHANNELS, math.inf, "assumed"),
        source={"kind": "matrix", "text": str(path)},
    )


def of_machine(
    text: str, placement: str | None, num_ranks: int | None, num_bytes: int
) -> Distances:
    """Return distances from a machine text or the path of a machine file.

    Args:
        text: as in `2n x 4c`, or a file.
        placement: of ranks on cores, see machines.setting().
        num_ranks: how many; None: as many as the placement or the file has, else one on each core.
        num_bytes: of the messages.

    Raises:
        ArgumentError: there is no such machine, or it has too few cores.
        FileError: a file cannot be read.
    """
    machine = machines.load(text)
    setting = machines.setting(machine, placement, num_ranks)
    distances_of = functools.cache(
        functools.partial(_core.machine_distances, machine.text, *setting)
    )
    found = distances_of(num_bytes)
    scale = 1e6 if found["has_times"] else 1.0

    @functools.cache
    def times_of(size: int) -> list[list[float]]:
        return [[scale * time for time in row] for row in distances_of(size)["rtt"]]

    # Where groups have any number of channels nothing is known about them.
    is_known = not math.isinf(found["across"])
    return Distances(
        rtt=times_of(num_bytes),
        unit="us" if found["has_times"] else "levels",
        num_bytes=num_bytes if found["has_times"] else None,
        group_of_rank=tuple(found["group_of_rank"]),
        groups_origin=f"machine: {found['group_level']}",
        channels=Channels(
            max(1.0, found["across"]) if is_known else _USUAL_CHANNELS,
            max(1.0, found["inside"]),
            "machine" if is_known else "assumed",
        ),
        source={"kind": "machine", "text": text, "placement": placement or "as the machine says"},
        times_of_machine=times_of,
    )


def _found_groups(rtt_us: Any) -> tuple[tuple[int, ...], str]:
    count = len(rtt_us)
    times = completed(np.fmin(rtt_us, rtt_us.T)) if count > 1 else rtt_us
    parts: Sequence[Any] = clustering.find(times, allow_single=True).parts if count > 2 else ()
    labels = np.zeros(count, dtype=int)
    for number, part in enumerate(parts):
        labels[list(part.members)] = number
    return _renumbered(labels.tolist()), "found" if parts else "none found"


def _renumbered(labels: Sequence[int]) -> tuple[int, ...]:
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return tuple(numbers[label] for label in labels)


def _labels(text: str, num_ranks: int) -> tuple[int, ...]:
    found: dict[int, int] = {}
    for group, members in enumerate(text.split("/")):
        for rank in parse_integers(members, "ranks of a group", 0):
            if rank in found or rank >= num_ranks:
                raise ArgumentError(
                    f"expected each of ranks 0 .. {num_ranks - 1} in one group, got {rank} in"
                    f" '{members}'",
                    "write groups as in --groups 0-3/4-7",
                )
            found[rank] = group
    missing = next((rank for rank in range(num_ranks) if rank not in found), None)
    if missing is not None:
        raise ArgumentError(
            f"expected each of ranks 0 .. {num_ranks - 1} in one group, got rank {missing} in none",
            "write groups as in --groups 0-3/4-7",
        )
    return _renumbered([found[rank] for rank in range(num_ranks)])
