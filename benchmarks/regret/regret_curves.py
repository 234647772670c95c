# SPDX-License-Identifier: Apache-2.0
"""When calls of a loop were over, and what follows: what learning lost, and whether it may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Loop:
    """When the slowest rank had finished each call, in seconds from the start of the first one."""

    seconds: tuple[float, ...]

    def at(self, num_calls: int) -> float:
        """Return when so many calls were over.

        A loop that is too short goes on as in its last half: it repeats itself.
        """
        made = len(self.seconds)
        if num_calls <= made:
            return self.seconds[num_calls - 1]
        half = made // 2
        each = (self.seconds[-1] - self.seconds[half - 1]) / (made - half)
        return self.seconds[-1] + (num_calls - made) * each


def parse_loop(text: str) -> tuple[float, Loop]:
    """Return what MPI_Init took, and the loop, of what the program printed.

    Raises:
        ValueError: it is something else.
    """
    numbers = []
    for count, line in enumerate(text.splitlines()):
        number, seconds = line.split()
        if int(number) != count:
            raise ValueError(f"expected call {count}, got '{line}'")
        numbers.append(float(seconds))
    if len(numbers) < 2:
        raise ValueError(f"expected at least one call, got '{text}'")
    return numbers[0], Loop(tuple(numbers[1:]))


@dataclass(frozen=True)
class Bound:
    """What may be lost: so many seconds, or a share of the time of the program if that is more."""

    seconds: float
    share: float

    def at(self, seconds: float) -> float:
        """Return the bound after a program has run for so long."""
        return max(self.seconds, self.share * seconds)


@dataclass(frozen=True)
class Worst:
    """The call after which most was lost, and the largest part of the bound that was ever lost."""

    num_calls: int
    lost_seconds: float
    share_of_bound: float


def worst_of(learning: Loop, native: Loop, bound: Bound) -> Worst:
    """Return the worst moment of a loop that learns."""
    lost = [
        (seconds - native.at(number), number)
        for number, seconds in enumerate(learning.seconds, start=1)
    ]
    most, num_calls = max(lost, key=lambda one: (one[0], -one[1]))
    share = max(seconds / bound.at(learning.seconds[number - 1]) for seconds, number in lost)
    return Worst(num_calls, most, share)


def best_at(loops: Mapping[str, Loop], num_calls: int) -> float:
    """Return when so many calls are over at best: natively, or with the best choice known."""
    return min(loops[name].at(num_calls) for name in ("native", "best") if name in loops)


def checkpoints_of(declared: Sequence[int], num_calls: int) -> list[int]:
    """Return after which calls a loop is looked at."""
    return [number for number in declared if number <= num_calls]
