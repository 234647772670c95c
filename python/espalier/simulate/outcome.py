# SPDX-License-Identifier: Apache-2.0
"""The document of `espalier simulate`: the same bytes whenever the command is repeated."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from espalier.io.console import document
from espalier.simulate.setting import PEERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.launch.preload import Settings
    from espalier.sampling.samples import Point
    from espalier.simulate.collectives import Measured
    from espalier.simulate.running import Finished
    from espalier.simulate.setting import Setting

_NO_COSTS = (
    "the machine says nothing of what messages cost, so they take no time; give latencies and"
    " bandwidths, as in 4n[latency=2us,bandwidth=10GB/s] x 8c[latency=300ns]"
)


def program_document(
    words: Sequence[str], setting: Setting, told: Settings, finished: Finished
) -> dict[str, Any]:
    """Return what a program did in the simulator.

    Args:
        words: the program and its arguments.
        setting: where it ran.
        told: what Espalier was told.
        finished: how it went.
    """
    explained = finished.explained
    return document(
        "espalier-simulation",
        1,
        kind="program",
        **_setting(setting),
        program=list(words),
        espalier={
            "is_linked": bool(explained),
            "profile": None if told.profile is None else str(told.profile),
            "force": told.force,
            "mapping": told.maps,
            "learns": bool(told.learns),
        },
        simulated_seconds=finished.slowest_seconds,
        total_seconds=finished.simulated_seconds,
        rank_seconds=_of_ranks(finished),
        **_made(finished),
        **_learned(finished),
        calls=explained.get("calls", []),
        mappings=explained.get("mappings", []),
        warnings=[*explained.get("warnings", []), *_cautions(setting)],
    )


def compared(finished: Finished, native: Finished) -> dict[str, Any]:
    """Return what the document says of the same program without Espalier."""
    seconds = native.slowest_seconds
    ours = finished.slowest_seconds
    later = ours - finished.slowest_rank["own_communicators"]["seconds"]
    return {
        "native": {
            "simulated_seconds": seconds,
            "ratio": _ratio(seconds, ours),
            "later_ratio": _ratio(seconds, later),
        }
    }


def cost(finished: Finished) -> dict[str, Any]:
    """Return what the document says of the simulation itself, which differs from run to run."""
    about = {"seconds": finished.real_seconds, "memory_bytes": finished.memory_bytes}
    return {"cost": about}


def collectives_document(setting: Setting, measured: Measured) -> dict[str, Any]:
    """Return the times of collectives; those of a point ascend."""
    return document(
        "espalier-simulation",
        1,
        kind="collectives",
        **_setting(setting),
        points=[_point(point) for point in measured.points],
        problems=[
            {
                "collective": problem.collective,
                "bytes": problem.asked_bytes,
                "algorithm": problem.algorithm,
                "reason": problem.reason,
                "text": problem.text,
            }
            for problem in measured.problems
        ],
        left_out=measured.left_out,
    )


def _point(point: Point) -> dict[str, Any]:
    times = {name: min(samples) for name, samples in point.samples_us.items()}
    return {
        "collective": point.collective,
        "bytes": point.bytes,
        "times_us": dict(sorted(times.items(), key=lambda entry: (entry[1], entry[0]))),
        "decided": dict(point.decided),
    }


def _setting(setting: Setting) -> dict[str, Any]:
    return {
        "machine": setting.machine.short_text,
        "placement": setting.placement,
        "num_ranks": setting.num_ranks,
        "num_nodes": setting.num_nodes,
        "peer": {"name": setting.peer, "algorithms": PEERS[setting.peer]},
        "options": list(setting.options),
    }


def _ratio(seconds: float, ours: float) -> float:
    return seconds / ours if ours else 1.0


def _made(finished: Finished) -> dict[str, Any]:
    """Return what calls made for messages of ours, on the rank whose time is told."""
    if not finished.statistics:
        return {}
    return {"own_communicators": finished.slowest_rank["own_communicators"]}


def _learned(finished: Finished) -> dict[str, Any]:
    """Return what learning cost and gained on rank 0; nothing if the program did not learn."""
    first = min(finished.statistics, key=lambda rank: int(rank["rank"]), default={})
    return {"learning": first["learning"]} if "learning" in first else {}


def _cautions(setting: Setting) -> list[str]:
    is_known = any(level.link.is_known for level in setting.machine.levels)
    return [] if is_known else [_NO_COSTS]


def _of_ranks(finished: Finished) -> dict[str, float] | None:
    """Return the times from the end of MPI_Init to the start of MPI_Finalize."""
    if not finished.statistics:
        return None
    seconds = [float(rank["seconds"]) for rank in finished.statistics]
    return {
        "least": min(seconds),
        "median": statistics.median(seconds),
        "most": max(seconds),
    }
