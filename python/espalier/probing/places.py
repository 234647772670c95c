# SPDX-License-Identifier: Apache-2.0
"""What hwloc, control groups and launchers say of the nodes, beside what messages say."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from espalier.conditions.cautions import Caution
from espalier.machines import discovery
from espalier.probing.nodes import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from espalier.machines.machines import Machine
    from espalier.probing.levels import ScanLevel

# What messages and the header of the samples show too is said there, with numbers.
_SAID_ELSEWHERE = frozenset({"unbound", "oversubscribed", "simulated", "no_name", "same_name"})


def of_job(job: Mapping[str, Any] | None) -> Machine | None:
    """Return the machine that the ranks of a job see; None if they were not asked."""
    return discovery.of_job(job) if job else None


def cautions(place: Machine | None) -> list[Caution]:
    """Return what is odd about where the ranks run. A finding is `what is so: what it does`."""
    if place is None:
        return []
    found = []
    for finding in place.document["origin"]["findings"]:
        if finding["kind"] not in _SAID_ELSEWHERE:
            text, _, effect = finding["text"].partition(": ")
            found.append(Caution(finding["kind"].replace("_", "-"), text, effect))
    return found


def named(levels: Iterable[ScanLevel], place: Machine | None) -> tuple[ScanLevel, ...]:
    """Return levels with the names that hwloc gives to the same groups of ranks."""
    if place is None:
        return tuple(levels)
    placed = place.place(None, len(place.core_of_rank))
    names = {
        tuple(numbered(level["object_of_rank"])): level["name"]
        for level in reversed(placed["levels"][:-1])
    }
    taken = {level.name for level in levels}
    renamed = []
    for level in levels:
        name = names.get(level.object_of_rank, level.name)
        is_free = name not in taken and level.name not in ("node", "core")
        renamed.append(dataclasses.replace(level, name=name) if is_free else level)
    return tuple(renamed)
