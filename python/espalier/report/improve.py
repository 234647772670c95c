# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier improve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text
from espalier.report.compare import verdict_text
from espalier.report.content import Grid, Report, Section
from espalier.report.sections import cautions_section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COLUMNS = (
    "call",
    "ranks",
    "result",
    "calls",
    "share",
    "in a loop",
    "in the program",
    "what runs now",
)
_RIGHT = ("ranks", "result", "calls", "share", "in the program")
_DISPENSABLE = ("calls",)


def improvement_report(found: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-improvement` document."""
    sections = [
        Section("What was gained", _gained(found)),
        *_placement(found["placement"]),
        _calls(found),
        Section("What remains", list(found["remaining"])),
    ]
    if found["use"] is not None:
        sections.append(Section("How to use it", command=found["use"]))
    if found["warnings"]:
        sections.append(cautions_section(found["warnings"]))
    return Report(f"Improving {found['command']}", sections)


def _gained(found: Mapping[str, Any]) -> list[str]:
    lines = [_verdict(found)]
    lines.append(
        f"{100 * found['collective_share']:.2g} % of the program's time is in collectives;"
        f" {100 * found['tuned_share']:.2g} % was tuned ({len(found['calls'])} calls and sizes)"
    )
    lines += _taken_back(found["taken_back"])
    if not found["complete"]:
        lines.append("this was interrupted; the same command goes on where it ended")
    return lines


def _taken_back(rules: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each rule that cost time, and one for those that gained none."""
    slower = [rule for rule in rules if str(rule["reason"]).startswith("slower")]
    others = [rule for rule in rules if rule not in slower]
    lines = [f"taken back: {_about(rule)}, {rule['reason']}" for rule in slower]
    if others:
        names = ", ".join(dict.fromkeys(_about(rule) for rule in others))
        lines.append(f"taken back, since the program itself did not become faster by them: {names}")
    return lines


def _about(rule: Mapping[str, Any]) -> str:
    """Return the call of a rule, with its sizes unless it is for all of them."""
    low, high = rule["min_bytes"], rule["max_bytes"]
    if high is None:
        return f"{rule['collective']} from {bytes_text(low)} on" if low else rule["collective"]
    return f"{rule['collective']} of {bytes_text(low)} .. {bytes_text(high)}"


def _verdict(found: Mapping[str, Any]) -> str:
    if not found["calls"]:
        return "nothing to tune: the program spends no time in collectives that could be replaced"
    if found["wall"] is None:
        if found["profile"] is None:
            return "nothing was gained: no algorithm was significantly faster than the MPI library"
        return "whole runs were not compared"
    text = f"whole run: {verdict_text(found['wall'])}"
    if found["profile"] is None:
        text += "; so nothing is kept: the profile leaves its calls to the MPI library"
    return text


def _placement(found: Mapping[str, Any] | None) -> list[Section]:
    """Return whether ranks should run elsewhere, unless that is no question."""
    if found is None:
        return []
    before, after = found["before"], found["after"]
    now = f"{bytes_text(before['total'])} go between {len(found['nodes'])} nodes"
    if not found["helps"]:
        margin = f"{100 * found['margin']:.0f} %"
        return [Section("Where ranks run", [f"{now}; no other placement saves {margin} of it"])]
    line = (
        f"{now}, and {bytes_text(after['total'])} would in another placement; at most"
        f" {bytes_text(before['worst'])} and {bytes_text(after['worst'])} leave one node"
    )
    command = found["command"] or ""
    return [Section("Where ranks run", [line, *_tried(found)], command=command)]


def _tried(found: Mapping[str, Any]) -> list[str]:
    file, wall = found["file"], found["wall"]
    if file is None:
        return ["there is no file for this launcher; 'espalier map --traffic' writes others"]
    if found["failure"]:
        return [f"{file} cannot be used: {found['failure']}"]
    if wall is None:
        return [
            f"wrote {file}; --try-placement compares whole runs, and keeps it if they are faster",
            "the profile is for ranks as they are placed now; improve again with the command below",
        ]
    text = f"whole runs with {file}: {verdict_text(wall)}"
    kept = "all of this page is with it" if found["is_kept"] else "so ranks stay where they are"
    return [f"{text}; {kept}"]


def _calls(found: Mapping[str, Any]) -> Section:
    section = Section("Where the time was")
    if not found["calls"]:
        section.lines = ["no call takes a noticeable share of the time"]
        return section
    grid = Grid(_COLUMNS, _RIGHT, dispensable=_DISPENSABLE)
    grid.rows = [_row(call) for call in found["calls"]]
    section.grids.append(grid)
    return section


def _row(call: Mapping[str, Any]) -> list[str]:
    tuned, inside = call["tuned"], call["in_program"]
    ratio = inside and inside["ratio"]
    return [
        call["collective"] + (f" ({call['manner']})" if call.get("manner") else ""),
        str(call["num_ranks"]),
        bytes_text(call["bytes"]),
        str(call["num_calls"]),
        f"{100 * call['share']:.2g} %",
        _loop(tuned),
        "-" if not ratio else f"{ratio['value']:.2f}x ({ratio['low']:.2f} .. {ratio['high']:.2f})",
        ", ".join(inside["algorithms"]) if inside else (tuned or {}).get("algorithm", "native"),
    ]


def _loop(tuned: Mapping[str, Any] | None) -> str:
    if tuned is None:
        return "no time was left"
    if not tuned["at_its_size"]:
        return f"as {bytes_text(tuned['bytes'])}, no time"
    if tuned["algorithm"] == "native":
        return "not faster"
    return str(tuned["reason"]).partition(" faster")[0]
