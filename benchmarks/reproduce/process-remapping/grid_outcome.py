# SPDX-License-Identifier: Apache-2.0
"""What was found of collectives along grids, as a document of the schema `espalier-grid`."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.launch.samples import Found

SCHEMA = "espalier-grid"
VERSION = 1


def conclude(plan: Mapping[str, Any], machine: str | None, found: Found) -> dict[str, Any]:
    """Return the document of a run.

    Args:
        plan: what was to be measured.
        found: what was.
        machine: the simulated machine, None if a real one was measured.
    """
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "source": {"kind": "measured" if machine is None else "simulated", "machine": machine},
        "num_ranks": found.header["num_ranks"],
        "num_nodes": found.header["num_nodes"],
        "points": [_point(plan, found, point) for point in found.points],
        "errors": [{key: one[key] for key in _ERROR_KEYS} for one in found.errors],
        "points_left": found.points_left,
    }


_ERROR_KEYS = ("point", "mapping", "way", "reason", "text")


def _point(plan: Mapping[str, Any], found: Found, point: Mapping[str, Any]) -> dict[str, Any]:
    number = point["point"]
    return {
        "grid": point["grid"],
        "collective": point["collective"],
        "bytes": point["bytes"],
        "segment_bytes": plan["points"][number].get("segment_bytes", 65536),
        "is_overlapped": point["is_overlapped"],
        "is_verified": point["is_verified"],
        "creations": [
            {"mapping": one["mapping"], "overhead": one["overhead"]}
            for one in found.lines["mapping"]
            if one["point"] == number
        ],
        "cases": [
            {
                "mapping": case["mapping"],
                "way": case["way"],
                "median_us": median(case["samples_us"]),
                "samples": len(case["samples_us"]),
            }
            for case in point["cases"]
        ],
        "trials": [_trial(one) for one in found.lines["trial"] if one["point"] == number],
    }


def _trial(trial: Mapping[str, Any]) -> dict[str, Any]:
    times = {one["mapping"]: one["call_us"] for one in trial["tried"]}
    return {
        "way": trial["way"],
        "chosen": trial["chosen"],
        "gain": times["identity"] / times[trial["chosen"]],
        "tried": trial["tried"],
        "overhead": trial["overhead"],
        "calls_to_pay": trial["calls_to_pay"],
    }


def median_ms(document: Mapping[str, Any], collective: str, way: str, mapping: str) -> float:
    """Return the milliseconds of a way in a mapping."""
    point = _of_collective(document, collective)
    case = next(case for case in point["cases"] if (case["way"], case["mapping"]) == (way, mapping))
    return float(case["median_us"]) / 1000


def trial_of(document: Mapping[str, Any], collective: str, way: str) -> dict[str, Any] | None:
    """Return what trying mappings found for a way; None if none were tried."""
    trials = _of_collective(document, collective)["trials"]
    return next((trial for trial in trials if trial["way"] == way), None)


def _of_collective(document: Mapping[str, Any], collective: str) -> Mapping[str, Any]:
    point: Mapping[str, Any] = next(
        point for point in document["points"] if point["collective"] == collective
    )
    return point
