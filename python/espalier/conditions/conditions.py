# SPDX-License-Identifier: Apache-2.0
"""What could be wrong with measurements made here, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base import intervals
from espalier.conditions.cautions import Caution
from espalier.conditions.machine import machine
from espalier.conditions.timing import timing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Of what the doctor looks at, that which disturbs times.
_DISTURBING = frozenset({"cgroup", "load", "noise", "clock", "frequency"})
_NOISY = 0.25


def of_machine() -> list[Caution]:
    """Return what disturbs times on this host right now. Takes a third of a second."""
    return [
        Caution(finding.name, finding.text, finding.advice)
        for finding in [*machine(), *timing()]
        if finding.name in _DISTURBING and finding.status != "ok"
    ]


def of_job(header: Mapping[str, Any]) -> list[Caution]:
    """Return what is wrong with how the ranks are placed."""
    ranks = header.get("max_ranks_per_node", 1)
    processors = header.get("min_cpus_per_node", ranks)
    if ranks <= processors:
        return []
    return [
        Caution(
            "oversubscribed",
            f"{ranks} ranks share {processors} processors, so times contain waiting for the"
            " scheduler",
            "results hold for this way of running; for others measure where each rank has a"
            " processor",
        )
    ]


def of_noise(samples: Iterable[Sequence[float]], what: str) -> list[Caution]:
    """Return a caution if repetitions of the same thing differ a lot."""
    spreads = sorted(intervals.spread(times) for times in samples)
    if not spreads or spreads[len(spreads) // 2] <= _NOISY:
        return []
    middle = spreads[len(spreads) // 2]
    return [
        Caution(
            "noise",
            f"{what} differ by {100 * middle:.0f} % (interquartile range, middle of all)",
            "stop what else runs, bind the ranks, or give more time",
        )
    ]
