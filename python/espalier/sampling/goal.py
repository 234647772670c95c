# SPDX-License-Identifier: Apache-2.0
"""What is to be found out by measuring candidates, and how sure one wants to be of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier import _core
from espalier.base import calls
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.sampling.work import Work

DEFAULT_SIZES = (64, 512, 4096, 32768, 262144, 1048576, 4194304)
# How much is done to find the fastest; the words are those of FFTW.
ESTIMATE, MEASURE, EXHAUSTIVE = "estimate", "measure", "exhaustive"
EFFORTS = (ESTIMATE, MEASURE, EXHAUSTIVE)
GOOD_ENOUGH = 0.05
# An int counts the bytes of a call in the measuring program.
LARGEST_SIZE = 2**30
# What is tuned unless the user says otherwise: what programs spend their time in.
DEFAULT_CALLS = (
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "barrier",
    "bcast",
    "gather",
    "reduce",
    "scatter",
)


def check_sizes(sizes: Sequence[int]) -> None:
    """Raise ArgumentError for sizes that cannot be measured."""
    for size in sizes:
        if not 1 <= size <= LARGEST_SIZE:
            raise ArgumentError(f"expected sizes from 1 B to 1 GiB, got {size} B")


@dataclass(frozen=True)
class Goal:
    """What to tune, how sure to be, and how much to do for it.

    With the effort `measure`, candidates are dropped early, and a size is left as soon as nothing
    can be expected to be better by more than `good_enough`; 0.05 is 5 %. With `work`, which is
    done between start and completion, there may be nonblocking calls.
    """

    collectives: tuple[str, ...]
    sizes: tuple[int, ...]
    patterns: tuple[str, ...] = ()
    seconds: float = 150.0
    confidence: float = 0.95
    min_gain: float = 0.02
    seed: int = 1
    effort: str = MEASURE
    good_enough: float = GOOD_ENOUGH
    work: Work | None = None

    def check(self) -> None:
        """Raise ArgumentError for what cannot be measured."""
        self._check_calls()
        check_sizes(self.sizes)
        if self.seconds <= 0:
            raise ArgumentError(f"expected a time budget above 0 s, got {self.seconds:g} s")
        if not 0.5 <= self.confidence < 1:
            raise ArgumentError(f"expected a confidence in 0.5 .. 1, got {self.confidence:g}")
        if not 0 <= self.min_gain <= 1:
            raise ArgumentError(
                f"expected a least gain in 0 .. 1, got {self.min_gain:g}", "0.02 is 2 %"
            )
        if self.effort not in EFFORTS:
            raise ArgumentError(f"expected an effort of {', '.join(EFFORTS)}, got '{self.effort}'")
        if self.good_enough < 0:
            raise ArgumentError(f"expected good enough to be 0 or more, got {self.good_enough:g}")

    def _check_calls(self) -> None:
        known = _core.calls()
        for name in self.collectives:
            if self.work is not None:
                calls.check(name, known)
            elif name not in known:
                raise ArgumentError(f"expected a collective of {', '.join(known)}, got '{name}'")
