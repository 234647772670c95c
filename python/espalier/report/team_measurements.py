# SPDX-License-Identifier: Apache-2.0
"""The report of what was measured for one-sided teams."""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import groupby
from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text
from espalier.report.content import Grid, Report, Section

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_NATIVE = "native"


def team_measurements_report(found: Mapping[str, Any], path: Path) -> Report:
    """Return the report of an `espalier-teams` document."""
    entries = sorted(found["entries"], key=_order)
    sections = [
        Section(_team_text(team), grids=[_grid(list(of_team))])
        for team, of_team in groupby(entries, key=_team)
    ]
    if sections:
        sections[-1].notes.append(
            "teams with as many members that lie on nodes alike take these for 30 days;"
            " 'espalier tune team --anew' measures again"
        )
    else:
        sections = [Section("Requests", ["nothing was measured"])]
    return Report(str(path), sections)


def _team(entry: Mapping[str, Any]) -> tuple[str, int, int, str]:
    return (
        entry["transport"],
        entry["num_ranks"],
        entry["num_nodes"],
        entry.get("placement", ""),
    )


def _order(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    request = ("collective", "mode", "addresses", "block_bytes", "root")
    return *_team(entry), *(entry[key] for key in request)


def _team_text(team: tuple[str, int, int, str]) -> str:
    transport, num_ranks, num_nodes, placement = team
    members = f"{num_ranks} member{'s' if num_ranks > 1 else ''}"
    nodes = f"{num_nodes} node{'s' if num_nodes > 1 else ''}"
    placed = f", {placement}" if placement else ""
    return f"{members} on {nodes}{placed}, transport {transport}"


def _grid(entries: list[Mapping[str, Any]]) -> Grid:
    grid = Grid(
        ("collective", "bytes of a block", "mode", "fastest", "mechanism", "measured"),
        dispensable=("measured",),
    )
    grid.right = ("bytes of a block",)
    grid.rows = [
        [
            _call_text(entry),
            bytes_text(entry["block_bytes"]),
            f"{entry['mode']}, {entry['addresses']}",
            entry["algorithm"],
            "-" if entry["algorithm"].endswith(f"/{_NATIVE}") else entry["mechanism"],
            datetime.fromtimestamp(entry["measured_at"], timezone.utc).strftime("%Y-%m-%d"),
        ]
        for entry in entries
    ]
    return grid


def _call_text(entry: Mapping[str, Any]) -> str:
    """Return `bcast, root 3, uneven blocks, named eager`."""
    parts = [entry["collective"]]
    for key, text in (
        ("root", f"root {entry['root']}"),
        ("has_uneven_blocks", "uneven blocks"),
        ("needs_rank_order", "in rank order"),
        ("is_reproducible", "reproducible"),
    ):
        parts += [text] if entry[key] else []
    named = [entry[key] for key in ("named_algorithm", "named_mechanism") if entry[key]]
    parts += [f"named {' and '.join(named)}"] if named else []
    return ", ".join(parts)
