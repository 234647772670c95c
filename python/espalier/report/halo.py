# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier halo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text, three_digits, time_text
from espalier.report.content import Grid, Report, Section
from espalier.report.sections import cautions_section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def halo_report(result: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-halo` document."""
    source = result["source"]
    title = f"Halo exchange of {result['num_ranks']} ranks, {source['kind']}: {source['text']}"
    sections = [section for group in result["groups"] for section in _group(group)]
    problems = list(result["problems"])
    if result["points_left"]:
        problems.append(
            f"{result['points_left']} sizes are left: the time was over, or it was interrupted"
        )
    if problems:
        sections.append(Section("What was not measured", problems))
    sections += [
        cautions_section(result["warnings"]),
        Section("How to repeat it", command=result["command"]),
    ]
    return Report(title, sections)


def dims_text(dims: Sequence[int], dims_ml: Sequence[Sequence[int | None]]) -> str:
    """Return each dimension with its parts at each level: `8=2x2x2 6=2x1x3 4=2x1x2`."""
    return " ".join(
        f"{dim}={_parts_text(dim, row)}" for dim, row in zip(dims, dims_ml, strict=True)
    )


def _parts_text(dim: int, row: Sequence[int | None]) -> str:
    """Return the parts; what lies in no blocks stands in brackets, as one number."""
    known = [part for part in row if part is not None]
    if len(known) == len(row):
        return _times(known)
    rest = dim
    for part in known:
        rest //= part
    return "x".join([*map(str, known), f"({rest})"])


def _group(group: Mapping[str, Any]) -> list[Section]:
    sections = [_cases(group)]
    if group["sizes"]:
        sections += [_times_of(group), _sizes_of(group)]
    return sections


def _title(group: Mapping[str, Any]) -> str:
    words = [f"Grid {_times(group['grid'])} for each process"]
    if not all(group["is_periodic"]):
        words.append("periodic " + " ".join(str(int(one)) for one in group["is_periodic"]))
    if any(any(pair) for pair in group["strides"]):
        words.append("strided " + " ".join(f"{pair[0]}/{pair[1]}" for pair in group["strides"]))
    return ", ".join(words)


def _cases(group: Mapping[str, Any]) -> Section:
    numbers = ("leave a node", "worst node", "made in")
    grid = Grid(("line", "method", "processes", *numbers), ("line", *numbers))
    for case in group["cases"]:
        grid.rows.append(
            [
                str(case["line"]),
                f"{case['method']} {case['name']}",
                dims_text(case["dims"], case["levels"]["dims_ml"]),
                str(case["cut"]["total"]),
                str(case["cut"]["worst"]),
                time_text(case["creation_us"] * 1e-6),
            ]
        )
    names = group["cases"][0]["levels"]["names"] if group["cases"] else []
    note = f"processes along each dimension = {' x '.join(names)}; (n): no blocks inside"
    notes = [note, "leave a node: messages of an exchange, in all and of the worst node"]
    return Section(_title(group), grids=[grid], notes=notes)


def _times_of(group: Mapping[str, Any]) -> Section:
    numbers = ("factor", "bytes", "time", "interval", "duplex", "part", "part interval")
    grid = Grid(("factor", "line", *numbers[1:]), numbers, dispensable=("interval", "duplex"))
    for size in group["sizes"]:
        grid.rows += [
            _time_row(size["factor"], group["cases"][case["case"]]["line"], case)
            for case in size["cases"]
        ]
    notes = ["bytes: sent by a process to all neighbours; part: of the time of the first line"]
    notes.append("duplex: sent and received by a process, in a second, for each neighbour")
    return Section("Times of an exchange", grids=[grid], notes=notes)


def _time_row(factor: int, line: int, case: Mapping[str, Any]) -> list[str]:
    return [
        str(factor),
        str(line),
        bytes_text(case["bytes"]),
        time_text(case["median_us"] * 1e-6),
        f"{time_text(case['low_us'] * 1e-6)} .. {time_text(case['high_us'] * 1e-6)}",
        f"{three_digits(case['bandwidth_bytes_per_s'] * 1e-6)} MB/s",
        f"{100 * case['relative']:.0f} %",
        f"{100 * case['relative_low']:.0f} .. {100 * case['relative_high']:.0f} %",
    ]


def _sizes_of(group: Mapping[str, Any]) -> Section:
    grid = Grid(("factor", "line", "grid", "of a process", "halos, bytes"), ("factor",))
    for size in group["sizes"]:
        for case in size["cases"]:
            grid.rows.append(
                [
                    str(size["factor"]),
                    str(group["cases"][case["case"]]["line"]),
                    _times(case["grid"]),
                    _times(case["local"]),
                    " ".join(map(str, case["message_bytes"])),
                ]
            )
    return Section("Sizes", grids=[grid], notes=["halos: one message along each dimension"])


def _times(numbers: Sequence[int]) -> str:
    return "x".join(map(str, numbers))
