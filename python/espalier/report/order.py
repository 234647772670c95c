# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier order`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text, interval_text, ratio_text, three_digits, time_text
from espalier.report.content import Grid, Report, Section
from espalier.report.sections import cautions_section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LONGEST_LIST = 64
_MOST_GROUPS = 16


def order_report(result: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-order` document."""
    title = (
        f"Orders of {result['num_ranks']} ranks for trees from root {result['root']},"
        f" {result['source']['kind']} {result['source']['text']}"
    )
    sections = [_best(result), _orders(result), *map(_model, result["model"])]
    if result["measurement"] is not None:
        sections += _measured(result["measurement"])
    sections += [
        cautions_section(result["warnings"]),
        Section("How to repeat it", command=result["command"]),
    ]
    return Report(title, sections)


def _best(result: Mapping[str, Any]) -> Section:
    best = result["best"]
    return Section(
        f"What is best, by {best['by']}",
        [f"{best['order']}: {best['reason']}", f"ranks {_list(best['ranks'])}"],
    )


def _orders(result: Mapping[str, Any]) -> Section:
    grid = Grid(("order", "rank at position 0, 1, ..."))
    grid.rows = [[order["name"], _list(order["ranks"])] for order in result["orders"]]
    channels = result["channels"]
    lines = [f"groups ({result['groups_origin']}): {_groups(result['groups'])}"]
    lines.append(
        f"channels ({channels['origin']}): {_count(channels['across'])} between groups,"
        f" {_count(channels['inside'])} inside one"
    )
    return Section("Orders", lines, [grid])


def _model(model: Mapping[str, Any]) -> Section:
    names = tuple(entry["order"] for entry in model["times"])
    grid = Grid(("step", *names), names)
    steps = zip(*(entry["steps"] for entry in model["times"]), strict=True)
    for number, times in enumerate(steps, start=1):
        grid.rows.append([str(number), *(_time(time, model["unit"]) for time in times)])
    for row in ("sum", "total"):
        grid.rows.append([row, *(_time(one[row], model["unit"]) for one in model["times"])])
    grid.rows.append(["ratio", *(ratio_text(one["ratio"]) for one in model["times"])])
    part = "message" if model["collective"] == "bcast" else "part of a rank"
    title = f"Model: binomial {model['collective']}, {bytes_text(model['bytes'])} the {part}"
    notes = ["total: no step waits for the others; ratio: standard order / this order"]
    if model["unit"] == "levels":
        notes.append("times in levels crossed: the machine does not say how fast its links are")
    return Section(title, grids=[grid], notes=notes)


def _measured(measurement: Mapping[str, Any]) -> list[Section]:
    sections = [_point(point) for point in measurement["points"]]
    if measurement["creation"]:
        sections.append(_creation(measurement))
    problems = [
        f"{one['collective']} {one['way']} is {one['reason']}: {one['text']}"
        for one in measurement["problems"]
    ]
    if measurement["points_left"]:
        problems.append(
            f"{measurement['points_left']} cases are left: the time was over, or it was interrupted"
        )
    if problems:
        sections.append(Section("What was not measured", problems))
    return sections


def _point(point: Mapping[str, Any]) -> Section:
    grid = Grid(
        ("call", "order", "time", "interval", "ratio", "ratio interval", "verdict"),
        ("time", "interval", "ratio", "ratio interval"),
        dispensable=("interval",),
    )
    for way in point["ways"]:
        grid.rows += [_row(way["way"], entry) for entry in way["times"]]
    part = "message" if point["collective"] == "bcast" else "part of a rank"
    title = f"Measured: {point['collective']}, {bytes_text(point['bytes'])} the {part}"
    fastest = point["fastest"] or "no significant difference"
    return Section(title, [f"fastest order of native calls: {fastest}"], [grid])


def _row(way: str, entry: Mapping[str, Any]) -> list[str]:
    row = [
        way,
        entry["order"],
        time_text(entry["median_us"] * 1e-6),
        interval_text(entry["low_us"] * 1e-6, entry["high_us"] * 1e-6),
    ]
    if "ratio" not in entry:
        return [*row, "1", "-", "reference"]
    ends = f"{three_digits(entry['ratio_low'])} .. {three_digits(entry['ratio_high'])}"
    return [*row, ratio_text(entry["ratio"]), ends, entry["verdict"]]


def _creation(measurement: Mapping[str, Any]) -> Section:
    grid = Grid(("order", "MPI_Comm_split", "group", "paid after"), ("MPI_Comm_split", "group"))
    for one in measurement["creation"]:
        paid = ", ".join(
            f"{case['calls']} {case['collective']} of {bytes_text(case['bytes'])}"
            for case in one["calls_to_pay"]
        )
        times = [time_text(one[way]["median_us"] * 1e-6) for way in ("split", "group")]
        grid.rows.append([one["order"], *times, paid or "never"])
    return Section(
        "What making the communicator costs",
        grids=[grid],
        notes=["group: MPI_Group_incl and MPI_Comm_create; freeing it is counted"],
    )


def _list(ranks: Sequence[int]) -> str:
    shown = " ".join(map(str, ranks[:_LONGEST_LIST]))
    return shown if len(ranks) <= _LONGEST_LIST else f"{shown} ... ({len(ranks)} ranks)"


def _groups(groups: Sequence[Sequence[int]]) -> str:
    shown = " | ".join(_runs(group) for group in groups[:_MOST_GROUPS])
    return shown if len(groups) <= _MOST_GROUPS else f"{shown} | ... ({len(groups)} groups)"


def _runs(ranks: Sequence[int]) -> str:
    """Return rising ranks as in `0-3 6`."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _count(channels: float | None) -> str:
    return "any number of" if channels is None else f"{channels:g}"


def _time(time: float, unit: str) -> str:
    return time_text(time * 1e-6) if unit == "us" else three_digits(time)
