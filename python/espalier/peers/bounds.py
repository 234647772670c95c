# SPDX-License-Identifier: Apache-2.0
"""The lower bound of a call, with the parts it has in the measuring program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier import _core
from espalier.sampling.candidates import real_size

if TYPE_CHECKING:
    from espalier.peers.experiment import Run

# These cut the result into parts that differ by one element; all have at least the smallest.
_UNEVEN = ("allgatherv", "alltoallv", "alltoallw", "gatherv", "reduce_scatter", "scatterv")


def bound_us(run: Run, collective: str, num_bytes: int) -> float | None:
    """Return what the call takes at least; None if nothing is known."""
    place = run.place
    size = num_bytes
    if collective in _UNEVEN:
        # What every rank has at least, as if all had just that.
        element = real_size(collective, 1, place.num_ranks)
        size = num_bytes // (element * place.num_ranks) * element * place.num_ranks
    bound = _core.lower_bound(
        _core.collective_of(collective), place.num_ranks, 0, run.machine, place.placement, size
    )
    return bound["seconds"] * 1e6 or None
