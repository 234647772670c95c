# SPDX-License-Identifier: Apache-2.0
"""The document `espalier-halo`: cases, how they lie on the machine, times of all sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import __version__
from espalier.base import intervals
from espalier.conditions import conditions
from espalier.conditions.cautions import Caution, to_json
from espalier.halo import levels
from espalier.io.console import document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from espalier.halo.measurement import Input, Measured
    from espalier.launch.samples import Found

SCHEMA = "espalier-halo"
VERSION = 1
NAMES = {
    1: "Dims_create + Cart_create",
    2: "weighted, equal weights",
    3: "weighted, grid weights",
    4: "weighted, given weights",
    5: "multi-level, given dims",
}


def conclude(
    given: Input, source: Mapping[str, Any], measured: Measured, command: str
) -> dict[str, Any]:
    """Return the document."""
    found = measured.found
    groups = [_group(found, given, number) for number in range(len(given.content["groups"]))]
    is_measured = source["kind"] == "measured"
    return document(
        SCHEMA,
        VERSION,
        command=command,
        espalier=__version__,
        source={
            **source,
            "mpi": found.header.get("mpi", {}),
            "num_nodes": found.header.get("num_nodes", 1),
        },
        input={"name": given.name, "text": given.text},
        num_ranks=found.header["num_ranks"],
        groups=groups,
        problems=[_problem(error, given) for error in found.errors],
        points_left=_points_left(found, given),
        warnings=to_json(_cautions_of_times(found) if is_measured else _cautions(found)),
    )


def _points_left(found: Found, given: Input) -> int:
    if found.points_left is not None:
        return found.points_left
    return given.num_points - len(found.points)


def _cautions_of_times(found: Found) -> list[Caution]:
    samples = [case["samples_us"] for point in found.points for case in point["cases"]]
    return [
        *conditions.of_machine(),
        *conditions.of_job(found.header),
        *conditions.of_noise(samples, "repetitions of an exchange"),
    ]


def _cautions(found: Found) -> list[Caution]:
    unproved = sum(not case["is_verified"] for point in found.points for case in point["cases"])
    if unproved == 0:
        return []
    return [
        Caution(
            "unproved",
            f"{unproved} of the exchanges moved no values: simulated ranks share the memory of"
            " large halos",
            "smaller factors of the same grid have values, which were right",
        )
    ]


def _problem(error: Mapping[str, Any], given: Input) -> str:
    line = given.content["groups"][error["group"]]["cases"][error["case"]]["line"]
    factor = f", factor {error['factor']}" if error["factor"] else ""
    return f"line {line}{factor} is {error['reason']}: {error['text']}"


def _group(found: Found, given: Input, number: int) -> dict[str, Any]:
    group = given.content["groups"][number]
    made = {case["case"]: case for case in found.lines["case"] if case["group"] == number}
    cases = [
        {
            "line": case["line"],
            "method": case["method"],
            "name": NAMES[case["method"]],
            **_made(made[index], found, group["is_periodic"]),
        }
        for index, case in enumerate(group["cases"])
        if index in made
    ]
    places = {index: place for place, index in enumerate(sorted(made))}
    points = [point for point in found.points if point["group"] == number]
    return {
        "grid": group["grid"],
        "is_periodic": group["is_periodic"],
        "strides": group["strides"],
        "cases": cases,
        "sizes": [_size(point, places) for point in points],
    }


def _made(case: Mapping[str, Any], found: Found, is_periodic: list[bool]) -> dict[str, Any]:
    """Return what became of a case's communicator."""
    places = found.header["places"]
    groups = [
        levels.groups_of_positions(case["dims"], case["ranks"], level["group_of_rank"])
        for level in places
    ]
    names = [level["name"] for level in places]
    total, worst = levels.cut(groups[names.index("node")], is_periodic)
    return {
        "dims": case["dims"],
        "levels": {"names": [*names, "rank"], "dims_ml": levels.parts(case["dims"], groups)},
        "cut": {"total": total, "worst": worst},
        "creation_us": case["creation_us"],
    }


def _size(point: Mapping[str, Any], places: Mapping[int, int]) -> dict[str, Any]:
    reference = point["cases"][0]["samples_us"]
    return {
        "factor": point["factor"],
        "exchanges_per_sample": point["exchanges_per_sample"],
        "cases": [_case(case, reference, places[case["case"]]) for case in point["cases"]],
    }


def _case(case: Mapping[str, Any], reference: list[float], place: int) -> dict[str, Any]:
    samples = case["samples_us"]
    time = intervals.median_interval(samples)
    ratio = intervals.paired_ratio(samples, reference)
    seconds = time.value * 1e-6
    return {
        **case,
        "case": place,
        "median_us": time.value,
        "low_us": time.low,
        "high_us": time.high,
        # Sent and received, by 2 d neighbours.
        "bandwidth_bytes_per_s": case["bytes"] / len(case["local"]) / seconds,
        "relative": ratio.value,
        "relative_low": ratio.low,
        "relative_high": ratio.high,
    }
