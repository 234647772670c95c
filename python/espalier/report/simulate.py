# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_range_text, bytes_text, ratio_text, time_text
from espalier.report.content import Grid, Report, Section
from espalier.report.run import mapping_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_CALLS = 20


def simulation_report(result: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-simulation` document on a program."""
    title = (
        f"{time_text(result['simulated_seconds'])} simulated, on {result['num_ranks']} ranks of"
        f" {result['num_nodes']} nodes: {result['machine']}"
    )
    sections = [_times(result)]
    if result["calls"]:
        sections.append(_calls(result))
    if result["mappings"]:
        lines = [mapping_line(mapping) for mapping in result["mappings"]]
        sections.append(Section("Topologies in another order of ranks", lines))
    if result["warnings"]:
        sections.append(Section("What could be wrong", list(result["warnings"])))
    return Report(title, sections)


def collectives_report(result: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-simulation` document on collectives."""
    title = (
        f"Collectives on {result['num_ranks']} ranks of {result['num_nodes']} nodes, simulated:"
        f" {result['machine']}"
    )
    notes = [
        f"placement {result['placement']}; native: {_peer(result)}",
        "times are simulated and exact: of the slowest rank, after a common start",
    ]
    sections = [
        Section(collective, grids=[_points(result, collective)])
        for collective in dict.fromkeys(point["collective"] for point in result["points"])
    ]
    problems = [
        f"{one['algorithm']}, {one['collective']} of {bytes_text(one['bytes'])}: {one['text']}"
        for one in result["problems"]
    ]
    if problems or result["left_out"]:
        sections.append(Section("What was not measured", [*result["left_out"], *problems]))
    return Report(title, [Section("Setting", notes), *sections])


def _points(result: Mapping[str, Any], collective: str) -> Grid:
    numbers = ("bytes", "time", "native / time")
    grid = Grid(("bytes", "candidate", "time", "native / time", "chose"), numbers)
    for point in result["points"]:
        if point["collective"] != collective:
            continue
        native = point["times_us"]["native"]
        for name, time_us in point["times_us"].items():
            ratio = ratio_text(native / time_us)
            chose = point["decided"].get(name, "")
            size = bytes_text(point["bytes"])
            grid.rows.append([size, name, time_text(time_us * 1e-6), ratio, chose])
    return grid if any(row[-1] for row in grid.rows) else grid.without("chose")


def _times(result: Mapping[str, Any]) -> Section:
    seconds = result["rank_seconds"]
    lines = [f"placement {result['placement']}, native algorithms of {_peer(result)}"]
    if seconds:
        lines.append(
            f"from MPI_Init to MPI_Finalize: {time_text(seconds['most'])} on the slowest rank,"
            f" {time_text(seconds['median'])} on the median one"
        )
    else:
        lines.append(
            f"{time_text(result['simulated_seconds'])} in all; give the source instead of the"
            " program to see its calls, and to use Espalier"
        )
    lines += _of_first_calls(result)
    lines += _of_learning(result)
    if "native" in result:
        lines.append(_compared(result["native"]))
    if "cost" in result:
        cost = result["cost"]
        lines.append(
            f"simulating took {time_text(cost['seconds'])} and {bytes_text(cost['memory_bytes'])}"
            " of memory"
        )
    return Section("Time", lines)


def _of_first_calls(result: Mapping[str, Any]) -> list[str]:
    made = result.get("own_communicators", {"count": 0})
    if made["count"] == 0:
        return []
    which = "a communicator" if made["count"] == 1 else f"{made['count']} communicators"
    seconds = time_text(made["seconds"])
    return [f"{seconds} of that went once into getting {which} ready for Espalier's messages"]


def _of_learning(result: Mapping[str, Any]) -> list[str]:
    if "learning" not in result:
        return []
    learned = result["learning"]
    lost, bound = (time_text(learned[f"{name}_seconds"]) for name in ("lost", "bound"))
    kinds = learned["num_faster"] + learned["num_native"]
    line = (
        f"learning lost {lost} of at most {bound} of that; of {kinds} kinds of calls that it"
        f" decided, {learned['num_faster']} run faster now"
    )
    return [line]


def _compared(native: Mapping[str, Any]) -> str:
    line = (
        f"without Espalier {time_text(native['simulated_seconds'])}:"
        f" {ratio_text(native['ratio'])} of the time with it"
    )
    if native["later_ratio"] == native["ratio"]:
        return line
    return f"{line}, {ratio_text(native['later_ratio'])} of what is left without that"


def _peer(result: Mapping[str, Any]) -> str:
    return f"{result['peer']['algorithms']} (--peer {result['peer']['name']})"


def _calls(result: Mapping[str, Any]) -> Section:
    numbers = ("ranks", "calls", "time a rank", "share")
    grid = Grid(("function", "bytes", *numbers, "algorithm"), numbers, dispensable=("ranks",))
    for call in result["calls"][:_MOST_CALLS]:
        ranks = max(1, call["reporting_ranks"])
        grid.rows.append(
            [
                call["function"],
                bytes_range_text(call["min_bytes"], call["max_bytes"]),
                str(call["num_ranks"]),
                str(call["count"] // ranks),
                time_text(call["seconds"] / ranks),
                f"{100 * call['share']:.1f} %",
                call["algorithm"],
            ]
        )
    left = len(result["calls"]) - _MOST_CALLS
    notes = [f"... and {left} classes of calls that took less"] if left > 0 else []
    return Section("Collective calls", grids=[grid], notes=notes)
