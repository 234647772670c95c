# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier compare`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_range_text, bytes_text, time_text
from espalier.report.content import Grid, Report, Section
from espalier.report.run import mapping_line
from espalier.report.sections import cautions_section, machine_section

if TYPE_CHECKING:
    from collections.abc import Mapping

_COLUMNS = (
    "ranks",
    "result",
    "calls",
    "bytes",
    "native",
    "ours",
    "ratio",
    "interval",
    "ours is",
    "ran",
)
_RIGHT = ("ranks", "result", "calls", "bytes", "native", "ours", "ratio", "interval")
_DISPENSABLE = ("bytes", "ours", "ours is", "calls")
_SHORT = {"no significant difference": "not different", "too few repetitions": "not decided"}


def comparison_report(comparison: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-comparison` document."""
    return Report(
        f"With and without Espalier: {comparison['command']}",
        [
            _verdict(comparison),
            _collectives(comparison),
            *_mappings(comparison),
            _sure(comparison),
            machine_section(comparison),
            cautions_section(comparison["warnings"]),
            Section("How to repeat", command=comparison["repeat"]),
        ],
    )


def verdict_text(compared: Mapping[str, Any]) -> str:
    """Return a verdict with its ratio, interval and times.

    `no significant difference: 1.01x (95 % interval 0.98 .. 1.04), 2.10 s without, 2.08 s with`
    """
    ratio = compared["ratio"]
    interval = (
        f"{100 * ratio['confidence']:.3g} % interval {ratio['low']:.3f} .. {ratio['high']:.3f}"
    )
    times = (
        f"{time_text(compared['before_seconds']['value'])} without,"
        f" {time_text(compared['after_seconds']['value'])} with"
    )
    verdict = compared["verdict"]
    if verdict == "faster":
        return f"{ratio['value']:.3f}x faster ({interval}); {times}"
    if verdict == "slower":
        return f"{1 / ratio['value']:.3f}x slower (without / with: {interval}); {times}"
    largest = 100 * (max(ratio["high"], 1 / ratio["low"]) - 1)
    text = f"{verdict}: without / with {ratio['value']:.3f} ({interval}); {times}"
    if verdict == "no significant difference":
        text += f"; a difference above {largest:.2g} % is unlikely"
    return text


def _verdict(comparison: Mapping[str, Any]) -> Section:
    section = Section("What Espalier does to this program")
    if comparison["wall"] is None:
        section.lines = ["nothing is known: not one block of runs was finished"]
        return section
    section.lines = [
        f"whole run: {verdict_text(comparison['wall'])}",
        f"between MPI_Init and MPI_Finalize: {verdict_text(comparison['program'])}",
        _bound(comparison),
    ]
    return section


def _bound(comparison: Mapping[str, Any]) -> str:
    share = comparison["served_share"]
    if share >= 1:
        return (
            "calls in several threads at once take longer than the program: what could be gained"
            " is not known"
        )
    text = (
        f"{100 * share:.2g} % of the program's time goes into blocking collectives,"
        " waiting for late ranks included"
    )
    if share < 0.95:
        text += f"; without that time it would be {1 / (1 - share):.3g}x faster: the most to gain"
    return text


def _collectives(comparison: Mapping[str, Any]) -> Section:
    section = Section("By how much, collective by collective")
    rows = comparison["collectives"]
    if not rows:
        section.lines = ["the program made none of these calls"]
        return section
    section.lines = [
        "native and ours: time of all calls of a run, mean over the ranks; ratio: native / ours",
        "same call: native in both, so what differs is noise",
    ]
    reasons: list[str] = []
    grouped = groupby(sorted(rows, key=_function), key=_function)
    for function, members in grouped:
        columns = tuple(function if name == "result" else name for name in _COLUMNS)
        grid = Grid(columns, (function, *_RIGHT), dispensable=_DISPENSABLE)
        grid.rows = [_cells(row, reasons) for row in members]
        section.grids.append(grid)
    section.notes = [f"[{i}] {reason}" for i, reason in enumerate(reasons, start=1)]
    return section


def _mappings(comparison: Mapping[str, Any]) -> list[Section]:
    lines = [mapping_line(mapping) for mapping in comparison.get("mappings", [])]
    return [Section("Which ranks run where", lines)] if lines else []


def _function(row: Mapping[str, Any]) -> str:
    return str(row["function"].removeprefix("MPI_"))


def _cells(row: Mapping[str, Any], reasons: list[str]) -> list[str]:
    compared = row["comparison"]
    ratio = compared["ratio"] if compared else None
    verdict = compared["verdict"] if compared else "-"
    return [
        str(row["num_ranks"]),
        bytes_range_text(row["min_bytes"], row["max_bytes"]),
        str(row["calls"]),
        bytes_text(row["bytes"]),
        time_text(row["native_seconds"]),
        time_text(row["espalier_seconds"]),
        f"{ratio['value']:.2f}x" if ratio else "-",
        f"{ratio['low']:.2f} .. {ratio['high']:.2f}" if ratio else "-",
        _SHORT.get(verdict, verdict),
        ", ".join(_choice(choice, reasons) for choice in row["chosen"]),
    ]


def _choice(choice: Mapping[str, Any], reasons: list[str]) -> str:
    """Return `bruck [1]`; the reason is told once below the tables."""
    if choice["reason"] not in reasons:
        reasons.append(choice["reason"])
    name = choice["algorithm"].partition("/")[2] or choice["algorithm"]
    return f"{name} [{reasons.index(choice['reason']) + 1}]"


def _sure(comparison: Mapping[str, Any]) -> Section:
    method = comparison["method"]
    count = comparison["num_blocks"]
    blocks = (
        f"{count} blocks of three runs in changing order: plain, preloaded with all calls native,"
        f" and with Espalier; took {time_text(comparison['seconds'])}"
    )
    pairs = (
        "the whole run compares plain runs with Espalier's, statistics included; times of"
        " collectives compare the two preloaded kinds"
    )
    confidence = (
        f"each interval by itself holds with {100 * method['confidence']:.3g} % confidence; of many"
        " rows one in twenty may look different by chance"
    )
    lines = [blocks, pairs, confidence]
    if not comparison["complete"]:
        lines.insert(0, f"only {count} of {method['repetitions']} blocks were finished")
    return Section("How sure", lines)
