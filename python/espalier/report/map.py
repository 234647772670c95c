# SPDX-License-Identifier: Apache-2.0
"""What `espalier map` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from espalier.base.units import bytes_text, three_digits
from espalier.io.console import make_console
from espalier.report.content import Grid, Section, print_sections
from espalier.report.map_grid import print_grid
from espalier.report.sections import cautions_section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LONGEST_MACHINE = 60
_UNITS = {
    "messages": "messages",
    "cells": "cells sent",
    "weight": "weights of messages",
    "bytes": "bytes",
}


def print_map(result: Mapping[str, Any]) -> None:
    """Print an `espalier-map` document."""
    console = make_console()
    console.print(Text(_title(result), style="bold"), soft_wrap=True)
    console.print(f"  {result['summary']}", soft_wrap=True)
    print_sections(console, [_levels(result)])
    if result["dims"]:
        print_sections(console, [Section("Where the processes are to run")])
        print_grid(console, result)
    sections = [_grids(result)] if len(result["grids"]) > 1 else []
    sections += [
        _trials(result),
        cautions_section(result["warnings"]),
        _next(result),
    ]
    print_sections(console, sections)


def _title(result: Mapping[str, Any]) -> str:
    machine = result["machine"]
    if len(machine) > _LONGEST_MACHINE:
        machine = f"{machine[: _LONGEST_MACHINE - 3]}..."
    if result["grid"] is None:
        return f"{result['graph']['num_edges']} edges of {result['num_ranks']} ranks on {machine}"
    grid = result["grid"]
    names = "xyzw" if len(grid["extents"]) <= len("xyzw") else map(str, range(len(grid["extents"])))
    rings = [name for name, ring in zip(names, grid["periodic"], strict=False) if ring]
    periodic = f", periodic in {', '.join(rings)}" if rings else ""
    cells = f", {extents_text(grid['cells'])} cells" if grid["cells"] else ""
    return (
        f"{extents_text(grid['extents'])} processes{cells}, stencil {grid['stencil']}{periodic},"
        f" on {machine}"
    )


def extents_text(extents: Sequence[int]) -> str:
    """Return `50 x 48`."""
    return " x ".join(map(str, extents))


def amount_text(amount: float) -> str:
    """Return whole numbers as they are, others with three digits."""
    return f"{amount:.0f}" if amount == int(amount) else three_digits(amount)


def _bytes_text(amount: float) -> str:
    return bytes_text(round(amount))


def _levels(result: Mapping[str, Any]) -> Section:
    keys = ("total", "worst", "mean")
    columns = [f"{key} {when}" for key in keys for when in ("before", "after")]
    grid = Grid(("between", "groups", *columns), ("groups", *columns))
    for level in result["metrics"]:
        cells = [level[when][key] for key in keys for when in ("before", "after")]
        text = _bytes_text if result["unit"] == "bytes" else amount_text
        grid.rows.append([level["level"], str(level["groups"]), *map(text, cells)])
    notes = [
        f"{_UNITS[result['unit']]}, both directions; worst: what leaves the group that most leaves"
    ]
    if result["dims_ml"] is not None and len(result["dims"]) > 1:
        notes.append(f"dims_ml for MPIX_Cart_ml_create: {_dims_ml_text(result)}")
    return Section("What crosses each level", grids=[grid], notes=notes)


def _dims_ml_text(result: Mapping[str, Any]) -> str:
    by_level = zip(*result["dims_ml"], strict=True)
    return ", ".join(
        f"{name} {'x'.join(map(str, parts))}"
        for name, parts in zip(result["dims_ml_levels"], by_level, strict=True)
    )


def _trials(result: Mapping[str, Any]) -> Section:
    levels = [level["level"] for level in result["metrics"]]
    columns = [f"{level} total/worst" for level in levels]
    grid = Grid(("", "algorithm", *columns, "objective"), (*columns, "objective"))
    for trial in result["trials"]:
        grid.rows.append([_mark(trial), trial["algorithm"], *_score_cells(trial["score"], levels)])
    refusals = [
        f"{trial['algorithm']}: {trial['refusal']}"
        for trial in result["trials"]
        if trial["refusal"]
    ]
    notes = [*refusals, "objective: sum over levels of cost * (mean + worst) / 2; * was taken"]
    return Section("What was tried", grids=[grid], notes=notes)


def _score_cells(score: Mapping[str, Any] | None, levels: Sequence[str]) -> list[str]:
    if score is None:
        return ["-"] * (len(levels) + 1)
    cuts = [f"{amount_text(cut['total'])}/{amount_text(cut['worst'])}" for cut in score["cuts"]]
    return [*cuts, amount_text(score["objective"])]


def _mark(entry: Mapping[str, Any]) -> str:
    return "*" if entry["is_chosen"] else ""


def _grids(result: Mapping[str, Any]) -> Section:
    levels = [level["level"] for level in result["metrics"]]
    columns = [f"{level} total/worst" for level in levels]
    grid = Grid(
        ("", "grid", "proposed by", "best algorithm", *columns, "objective"),
        (*columns, "objective"),
        dispensable=("proposed by",),
    )
    for one in result["grids"]:
        cells = [extents_text(one["extents"]), ", ".join(one["origins"]), one["algorithm"]]
        grid.rows.append([_mark(one), *cells, *_score_cells(one["score"], levels)])
    return Section("Process grids, mapped without search", grids=[grid])


def _next(result: Mapping[str, Any]) -> Section:
    launch = result["launch"]
    if launch is not None:
        lines = [f"wrote {launch['file']}"] + ([launch["note"]] if launch["note"] else [])
        return Section("What to run next", lines, command=launch["command"])
    saving = (result["graph"] or {}).get("saving")
    if saving is not None and not saving["helps"]:
        return Section("What to run next", ["the program as it is now: no file was written"])
    if saving is not None:
        text = f"write a file that keeps {100 * saving['saved']:.0f} % of it inside nodes"
        return Section(
            "What to run next", [text], command=f"{result['command']} --for openmpi|mpich|slurm"
        )
    text = (
        "write a file for the launcher, for programs whose rank i stands at position i of the"
        " grid; docs/explanation/mapping says what to do with others"
    )
    command = f"{result['command']} --for openmpi|mpich|slurm"
    if "--hosts" not in command:
        command += " --hosts NAMES"
    return Section("What to run next", [text], command=command)
