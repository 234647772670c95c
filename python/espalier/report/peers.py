# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier peers`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text, ratio_text, three_digits
from espalier.report.content import Grid, Report, Section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TALLY = ("cells", "wins", "ties", "losses", "unproved", "mean", "worst")
_WAYS = {
    "profile": "by a tuned profile",
    "model": "by the model alone",
    "best": "best in hindsight",
}


def peers_report(result: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-peers` document."""
    title = f"Espalier beside {', '.join(_peer_names(result))}"
    if not result["complete"]:
        title += " (interrupted)"
    sections = [
        _what(result),
        _targets(result),
        *(_tallies(result, which) for which in result["tallies"]),
        *_places(result),
        *(_losses(result, which) for which in result["losses"]),
        _missing(result),
        _faults(result),
        Section("Again", command=result["command"]),
    ]
    return Report(title, [section for section in sections if section is not None])


def _peer_names(result: Mapping[str, Any]) -> list[str]:
    return [f"{name} ({version})" if version else name for name, version in result["peers"].items()]


def _what(result: Mapping[str, Any]) -> Section:
    lines = [
        f"{result['created']}, espalier {result['code_version']}; times are {result['times']}",
        f"ours calls what it leaves alone from: {result['under']}",
        *(f"{one['name']}: {one['machine']}" for one in result["platforms"]),
        *result["notes"],
    ]
    return Section("What was run", lines)


def _targets(result: Mapping[str, Any]) -> Section | None:
    if not result["targets"]:
        return None
    lines = []
    for target in result["targets"]:
        reached = "reached" if target["is_mean_reached"] else "not reached"
        mean = "no mean" if target["mean"] is None else ratio_text(target["mean"])
        lines.append(
            f"{_WAYS[target['which']]}: geometric mean of {ratio_text(target['least_mean'])} over"
            f" the best peer {reached}: {mean}"
        )
        missed = target["cells_missed"]
        slower = f"more than {100 * target['most_slower']:g} % slower than the best peer"
        lines.append(
            f"{_WAYS[target['which']]}: no cell {slower} "
            + ("reached" if missed == 0 else f"not reached: {missed} cells are")
        )
    return Section("Targets", lines)


def _tallies(result: Mapping[str, Any], which: str) -> Section:
    tallies = result["tallies"][which]
    section = Section(f"Ours {_WAYS[which]}, against the best peer of each cell")
    for title, rows in (
        ("platform", tallies["by_platform"]),
        ("collective", tallies["by_collective"]),
    ):
        grid = Grid((title, *_TALLY), _TALLY)
        grid.rows = [_tally_row(row) for row in (*rows, tallies["overall"])]
        section.grids.append(grid)
    if len(tallies["by_peer"]) > 1:
        grid = Grid(("against", *_TALLY), _TALLY)
        grid.rows = [_tally_row(row) for row in tallies["by_peer"]]
        section.grids.append(grid)
    section.notes.append(
        "mean: geometric mean of time of the best peer / ours; tie: at most 2 % apart; unproved:"
        " faster than all peers that have a time, but one has none (in no mean)"
    )
    return section


def _tally_row(row: Mapping[str, Any]) -> list[str]:
    counts = [str(row[name]) for name in ("cells", "wins", "ties", "losses", "unproved")]
    return [row["name"], *counts, *map(_ratio, (row["geometric_mean"], row["worst_ratio"]))]


def _ratio(value: float | None) -> str:
    return "-" if value is None else ratio_text(value)


def _places(result: Mapping[str, Any]) -> list[Section]:
    sections = []
    for place, cells in groupby(result["cells"], key=_place):
        section = Section(place)
        section.grids.append(_matrix(list(cells)))
        section.notes.append(
            "us: best peer, then best peer / ours by profile, by model, best in hindsight, and the"
            " share of our best time that the lower bound explains"
        )
        sections.append(section)
    return sections


def _place(cell: Mapping[str, Any]) -> str:
    return f"{cell['platform']}, {cell['placement']}, {cell['num_ranks']} ranks"


def _matrix(cells: Sequence[Mapping[str, Any]]) -> Grid:
    present = [which for which in _WAYS if any(which in cell["ours"] for cell in cells)]
    right = ("size", "best peer us", *present, "bound")
    grid = Grid(("collective", *right, "best peer", "best of ours"), right)
    grid.dispensable = ("best of ours",)
    for cell in cells:
        grid.rows.append(
            [
                cell["collective"],
                bytes_text(cell["bytes"]),
                _peer_us(cell),
                *(_ratio(cell["ratios"].get(which)) for which in present),
                _share(cell),
                cell["best_peer"] or "-",
                cell["ours"].get("best", {}).get("choice") or "-",
            ]
        )
    return grid


def _peer_us(cell: Mapping[str, Any]) -> str:
    name = cell["best_peer"]
    return "-" if name is None else three_digits(cell["peers"][name]["us"])


def _share(cell: Mapping[str, Any]) -> str:
    times = [one["us"] for one in cell["ours"].values() if one["us"]]
    if not times or cell["bound_us"] is None:
        return "-"
    return f"{100 * cell['bound_us'] / min(times):.0f} %"


def _losses(result: Mapping[str, Any], which: str) -> Section:
    section = Section(f"Losses, ours {_WAYS[which]}")
    cells = {_key(cell): cell for cell in result["cells"]}
    lost = [cells[_key(place)] for place in result["losses"][which]]
    if not lost:
        section.lines.append("none")
        return section
    right = ("size", "ratio", "peer us", "ours us", "best us")
    grid = Grid((*("place", "collective"), *right, "peer", "ours chose", "best would be"), right)
    for cell in lost:
        ours, best = cell["ours"][which], cell["ours"].get("best", {"us": None, "choice": ""})
        grid.rows.append(
            [
                _place(cell),
                cell["collective"],
                bytes_text(cell["bytes"]),
                _ratio(cell["ratios"][which]),
                _peer_us(cell),
                three_digits(ours["us"]),
                "-" if best["us"] is None else three_digits(best["us"]),
                cell["best_peer"],
                ours["choice"] or "-",
                best["choice"] or "-",
            ]
        )
    section.grids.append(grid)
    return section


def _key(cell: Mapping[str, Any]) -> tuple[Any, ...]:
    names = ("platform", "placement", "num_ranks", "collective", "bytes")
    return tuple(cell[name] for name in names)


def _missing(result: Mapping[str, Any]) -> Section | None:
    lines = [f"{_place(one)}, {one['collective']}: {one['reason']}" for one in result["left_out"]]
    for cell in result["cells"]:
        for name, one in (*cell["ours"].items(), *cell["peers"].items()):
            if one["us"] is None:
                where = f"{_place(cell)}, {cell['collective']} of {bytes_text(cell['bytes'])}"
                lines.append(f"{where}, {name}: {one['note'] or 'not measured'}")
    return Section("What has no time", lines) if lines else None


def _faults(result: Mapping[str, Any]) -> Section | None:
    lines = [
        f"{_place(one)}, {one['collective']} of {bytes_text(one['bytes'])}: {one['contender']} took"
        f" {three_digits(one['us'])} us, below the bound of {three_digits(one['bound_us'])} us"
        for one in result["below_bound"]
    ]
    lines += [
        f"{one['place']}, {one['collective']} of {bytes_text(one['bytes'])}: {one['algorithm']} was"
        f" {one['reason']}: {one['text']}"
        for one in result["wrong"]
    ]
    return Section("What is wrong", lines) if lines else None
