# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier tune team`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text, ratio_text, time_text
from espalier.report.content import Grid, Report, Section
from espalier.report.sections import cautions_section

if TYPE_CHECKING:
    from collections.abc import Mapping


def team_report(result: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-team-tuning` document."""
    nodes = f"{result['num_nodes']} node{'' if result['num_nodes'] == 1 else 's'}"
    title = (
        f"One-sided collectives of {result['num_ranks']} ranks on {nodes} by"
        f" {result['transport']}, in {result['in']}, out {result['out']}"
    )
    grid = Grid(
        ("collective", "size", "before", "time before", "after", "time after", "gain"),
        ("time before", "time after", "gain"),
    )
    grid.rows = [_row(request) for request in result["requests"]]
    found = Section(
        "What was found",
        grids=[grid],
        notes=["gain: time before / after, the median of pairs with its 95 % interval"],
    )
    sections = [
        found,
        cautions_section(result["warnings"]),
        Section("How to repeat it", command=result["command"]),
    ]
    return Report(title, sections)


def _row(request: Mapping[str, Any]) -> list[str]:
    before, after, ratio = request["before"], request["after"], request["ratio"]
    is_same = _name(before) == _name(after)
    return [
        request["collective"],
        bytes_text(request["bytes"]),
        _name(before),
        time_text(before["seconds"]),
        "stays" if is_same else _name(after),
        "" if is_same else time_text(after["seconds"]),
        "" if is_same else _gain(ratio),
    ]


def _name(choice: Mapping[str, Any]) -> str:
    # The collective of the MPI library: it has no mechanism of ours.
    if choice["mechanism"] == "native":
        return str(choice["algorithm"])
    return f"{choice['algorithm']} {choice['mechanism']}"


def _gain(ratio: Mapping[str, float]) -> str:
    return f"{ratio_text(ratio['value'])} ({ratio['low']:.2f} .. {ratio['high']:.2f})"
