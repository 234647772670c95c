# SPDX-License-Identifier: Apache-2.0
"""What could be wrong with a mapping, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier.conditions.cautions import Caution

if TYPE_CHECKING:
    from espalier._core import MappingResult
    from espalier.maps.choosing import Site


def cautions(site: Site, result: MappingResult) -> list[Caution]:
    """Return cautions about a mapping, most important first."""
    return [
        *_of_gain(result),
        *_of_placement(site),
        *_of_cores(site),
        *_of_costs(site),
    ]


def too_little(margin: float) -> Caution:
    """Return the caution for a mapping of counted traffic that saves less than the margin."""
    return Caution(
        "too_little",
        f"the best order of the ranks saves less than {100 * margin:.0f} % of what leaves nodes, so"
        " no file is written",
        "start the program as you do now",
    )


def _of_gain(result: MappingResult) -> list[Caution]:
    if not result["is_identity"]:
        return []
    return [
        Caution(
            "nothing_to_gain",
            "no other order of the ranks is better in its sum and in its worst node",
            "start the program as you do now"
            if any(cut["total"] for cut in result["before"]["cuts"])
            else "no message leaves a node, or what nodes consist of: there is nothing to map",
        )
    ]


def _of_placement(site: Site) -> list[Caution]:
    if not site.is_assumed:
        return []
    return [
        Caution(
            "placement_assumed",
            "without a file the launcher was assumed to fill node after node (block)",
            "'before' is true only then (Open MPI --map-by slot, SLURM --distribution=block); say"
            " otherwise with --placement cyclic, or list:0,4,1,...",
        )
    ]


def _of_cores(site: Site) -> list[Caution]:
    free = site.machine.num_cores - site.num_ranks
    if not free or site.is_of_run:
        return []
    return [
        Caution(
            "cores_left",
            f"{free} of {site.machine.num_cores} cores take no process",
            "they are the last ones; choose others with --placement list:... of cores",
        )
    ]


def _of_costs(site: Site) -> list[Caution]:
    crossed = [level for level in site.machine.levels[:-1] if level.num_objects > 1]
    if len(crossed) < 2 or any(level.link.is_known for level in crossed):
        return []
    return [
        Caution(
            "costs_assumed",
            "what messages cost is not known: a level was taken to be 8 times as expensive as the"
            " one inside it",
            "'espalier probe' measures it and writes a machine file",
        )
    ]
