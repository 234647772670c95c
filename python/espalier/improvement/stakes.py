# SPDX-License-Identifier: Apache-2.0
"""What a program spends its time on in collectives, and which of it is worth tuning.

Pure functions of what a run left behind (`espalier-run-explanation`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.base import calls
from espalier.base.ranges import parse_ranks
from espalier.improvement.manners import common_manner
from espalier.launch.runs import whole_seconds
from espalier.profiles.profiles import Shape
from espalier.sampling.candidates import real_size
from espalier.sampling.goal import LARGEST_SIZE
from espalier.sampling.manner import PLAIN, Manner

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# What is left out: stakes below this share of the program's time, and what goes beyond the number.
_LEAST_SHARE = 0.002
_MOST_STAKES = 24
# Reasons why a call is native whatever a profile says; see espalier/plan/session.cpp.
_NEVER_SERVED = (
    "one rank",
    "intercommunicator",
    "ranks outside MPI_COMM_WORLD",
    "no context",
    "no data",
    "the program says espalier_tune=false",
)


# Calls of which statistics count the part of each rank; the whole result has all parts.
_OF_PARTS = ("gatherv", "scatterv")


@dataclass(frozen=True)
class Stake:
    """Calls of one function on communicators of one shape, with results of similar size.

    `bytes` is their mean, and `num_calls` how many a rank of these communicators makes. `seconds`
    is the time of all of them, in the mean over all ranks of the program, waiting for late ranks
    included; `share` is that of the program's time, or of all calls if threads make them at once.
    `communicators` are those on which the calls were made, as ranks of MPI_COMM_WORLD, the
    costliest first; they are empty if nobody knows.
    `manner` is that of most calls, with sizes of parts on the costliest communicator.
    """

    call: str
    shape: Shape
    min_bytes: int
    max_bytes: int
    bytes: int
    num_calls: int
    seconds: float
    seconds_per_call: float
    share: float
    communicators: tuple[str, ...] = ()
    manner: Manner = PLAIN

    @property
    def point(self) -> tuple[str, int]:
        """Return the call, and the size at which the measuring program can time it."""
        size = self.manner.bytes
        if size is None:
            size = real_size(self.call, max(1, self.bytes), self.shape.num_ranks)
        return self.call, size


def call_of(row: Mapping[str, Any]) -> str:
    """Return the call that profiles have rules for, as in `reduce_scatter`, of a class of calls."""
    return str(row["function"]).removeprefix("MPI_").lower()


def all_stakes(run: Mapping[str, Any]) -> list[Stake]:
    """Return what profiles can change in a run, the costliest first."""
    parts = defaultdict(list)
    for row in run["calls"]:
        call = call_of(row)
        is_served = not row["reason"].startswith(_NEVER_SERVED) and is_tuned(call)
        if row["num_ranks"] > 1 and is_served:
            for part in row["communicators"]:
                shape = Shape(row["num_ranks"], part["num_nodes"])
                parts[call, shape, row["min_bytes"], row["max_bytes"]].append(part)
    stakes = [_stake(key, members, run) for key, members in parts.items()]
    return sorted(stakes, key=lambda stake: stake.seconds, reverse=True)


def is_tuned(call: str) -> bool:
    """Return whether calls of this name are tuned: neighborhoods and persistent calls are not."""
    return not calls.is_persistent(call) and calls.blocking(call) in _core.calls()


def worth_tuning(stakes: Iterable[Stake], num_ranks: int) -> list[Stake]:
    """Return the stakes that tuning should look at, in the same order, each point of a shape once.

    Those on communicators that nobody knows are left out, unless these have all ranks of the
    program.
    """
    chosen: dict[tuple[Shape, tuple[str, int]], Stake] = {}
    for stake in stakes:
        is_known = bool(stake.communicators) or stake.shape.num_ranks == num_ranks
        if is_known and stake.share >= _LEAST_SHARE and not is_too_large(stake):
            chosen.setdefault((stake.shape, stake.point), stake)
    return list(chosen.values())[:_MOST_STAKES]


def is_too_large(stake: Stake) -> bool:
    """Return whether results have more bytes than the measuring program takes."""
    return stake.point[1] > LARGEST_SIZE


def by_shape(stakes: Iterable[Stake]) -> dict[Shape, list[Stake]]:
    """Return stakes by the shape of their communicators; the shape with the costliest is first."""
    found: dict[Shape, list[Stake]] = {}
    for stake in stakes:
        found.setdefault(stake.shape, []).append(stake)
    return found


def share_of(stakes: Iterable[Stake]) -> float:
    """Return which share of the program's time is at stake."""
    return sum(stake.share for stake in stakes)


def groups_of(stakes: Sequence[Stake]) -> list[list[int]]:
    """Return the ranks of communicators of one shape on which calls can be made at the same time.

    A program that divides its ranks into rows makes its calls on all rows at once. Of
    communicators that have a rank in common the costliest is taken.
    """
    taken: set[int] = set()
    groups: list[list[int]] = []
    for text in dict.fromkeys(text for stake in stakes for text in stake.communicators):
        ranks = parse_ranks(text)
        if taken.isdisjoint(ranks):
            taken.update(ranks)
            groups.append(ranks)
    return groups


def _stake(
    key: tuple[str, Shape, int, int], parts: Sequence[Mapping[str, Any]], run: Mapping[str, Any]
) -> Stake:
    call, shape, min_bytes, max_bytes = key
    count = sum(part["count"] for part in parts)
    total = sum(part["seconds"] for part in parts)
    seconds = total / run["num_files"]
    whole = whole_seconds(run)
    num_parts = shape.num_ranks if calls.blocking(call) in _OF_PARTS else 1
    costliest = sorted(parts, key=lambda part: part["seconds"], reverse=True)
    names = dict.fromkeys(part["ranks"] for part in costliest if part["ranks"])
    mean = round(num_parts * sum(part["bytes"] for part in parts) / count) if count else min_bytes
    num_members = len(set().union(*map(parse_ranks, names))) or run["num_files"]
    return Stake(
        call=call,
        shape=shape,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        bytes=mean,
        num_calls=round(count / num_members),
        seconds=seconds,
        seconds_per_call=total / count if count else 0.0,
        share=seconds / whole if whole > 0 else 0.0,
        communicators=tuple(names),
        manner=common_manner(call, mean, [part.get("manner", {}) for part in costliest]),
    )
