# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier tune`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_range_text, bytes_text, time_text
from espalier.report.changes import changes_text, skipped_text
from espalier.report.content import Grid, Report, Section
from espalier.report.sections import cautions_section, machine_section

if TYPE_CHECKING:
    from collections.abc import Mapping

_COLUMNS = ("size", "native", "best other", "its time", "ratio", "interval", "used")
_RIGHT = ("size", "native", "its time", "ratio", "interval")

# How the reasons of such points begin.
_DISAGREE = "launches disagree"


def tuning_report(tuning: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-tuning` document."""
    mpi = tuning["mpi"]
    title = (
        f"Tuning of {tuning['num_ranks']} ranks on {tuning['num_nodes']} node(s), {mpi['version']}"
    )
    if not tuning["complete"]:
        title += " (interrupted)"
    if tuning["method"].get("is_simulated"):
        sections = [_best(tuning), _simulated(tuning), _wrong(tuning), _repeat(tuning)]
    else:
        sections = [
            _best(tuning),
            _sure(tuning),
            machine_section(tuning),
            _wrong(tuning),
            _repeat(tuning),
        ]
    return Report(title, sections)


def _simulated(tuning: Mapping[str, Any]) -> Section:
    machine, how = tuning["machine"], tuning["method"]
    return Section(
        "How it was measured",
        [
            f"simulated, exact: {machine['text']}, ranks placed {machine['placement']}",
            f"candidates of a size: {how['candidates']}",
            f"where the choice changes, sizes are at most {how['refined_to']:g}x apart",
        ],
    )


def _best(tuning: Mapping[str, Any]) -> Section:
    section = Section("What is best here, and by how much")
    points = {
        name: list(group)
        for name, group in groupby(tuning["points"], key=lambda p: p["collective"])
    }
    for collective, row in points.items():
        chosen = [
            rule
            for rule in tuning["rules"]
            if rule["collective"] == collective and rule["algorithm"] != "native"
        ]
        section.lines += [
            f"{collective} of {bytes_range_text(rule['min_bytes'], rule['max_bytes'])}:"
            f" {rule['algorithm']}, {rule['reason']}"
            for rule in chosen
        ]
        if not chosen:
            section.lines.append(f"{collective}: native at all sizes, {len(row)} of them measured")
    ratio = "ratio: time of native / time of the best other"
    min_gain = tuning["method"]["min_gain"]
    grids = [_grid(collective, row, min_gain) for collective, row in points.items()]
    if tuning["method"].get("is_simulated"):
        section.notes = [ratio]
        section.grids = [grid.without("interval") for grid in grids]
    else:
        section.notes = [f"{ratio}, from neighbouring pairs"]
        section.grids = grids
    return section


def _grid(collective: str, row: list[dict[str, Any]], min_gain: float) -> Grid:
    grid = Grid(
        (collective, *_COLUMNS[1:]), (collective, *_RIGHT[1:]), dispensable=("its time", "native")
    )
    for point in row:
        best = point["candidates"].get(point["best"])
        grid.rows.append(
            [
                bytes_text(point["bytes"]),
                time_text(point["native"]["median_us"] * 1e-6) if point["native"] else "-",
                (point["best"] or "-").partition("/")[2] or "-",
                time_text(best["time"]["median_us"] * 1e-6) if best else "-",
                f"{best['ratio']['median']:.2f}x" if best and best["ratio"] else "-",
                _interval_text(best["ratio"]) if best and best["ratio"] else "-",
                _used(point, min_gain),
            ]
        )
    return grid


def _interval_text(ratio: Mapping[str, Any]) -> str:
    text = f"{ratio['low']:.2f} .. {ratio['high']:.2f}"
    if ratio["confidence"] < 0.945:
        text += f" ({100 * ratio['confidence']:.0f} %)"
    return text


def _used(point: Mapping[str, Any], min_gain: float) -> str:
    if point["algorithm"] == point["best"]:
        return "this"
    if point["algorithm"] != "native":
        return str(point["algorithm"]).partition("/")[2]
    best = point["candidates"].get(point["best"])
    if best and best["ratio"]["confidence"] == 1.0:
        return "native: as fast" if best["ratio"]["median"] >= 1.0 else "native: faster"
    if best and best["ratio"]["high"] < 1.0:
        return "native: faster"
    if best and best["ratio"]["low"] > 1.0:
        return f"native: {_why_not_used(point, best['ratio']['median'], min_gain)}"
    return "native: no difference"


def _why_not_used(point: Mapping[str, Any], ratio: float, min_gain: float) -> str:
    """Return why a candidate is not used whose own interval says that it is faster."""
    if not point["confirmed"]:
        return "not confirmed"
    if point["reason"].startswith(_DISAGREE):
        return _DISAGREE
    # Its interval is for itself; significant is what remains so among all points of the tuning.
    return "gain too small" if ratio < 1 + min_gain else "not significant"


def _sure(tuning: Mapping[str, Any]) -> Section:
    how = tuning["method"]
    percent = 100 * how["confidence"]
    method = (
        "each choice was nominated in one launch and measured again in two fresh ones against"
        " native alone; the ratios are medians of neighbouring pairs"
    )
    chance = (
        f"the chance that any of the choices is wrong is at most {100 - percent:.3g} %"
        f" ({how['correction']}); gains below {100 * how['min_gain']:.3g} % are left alone"
    )
    budget = (
        f"took {time_text(tuning['seconds'])} of a budget of"
        f" {time_text(how['time_budget_seconds'])}"
    )
    return Section("How sure", [method, chance, budget])


def _wrong(tuning: Mapping[str, Any]) -> Section:
    section = cautions_section(tuning["warnings"])
    if not tuning["complete"]:
        rest = "left out" if tuning["method"].get("is_simulated") else "native"
        what = "measured" if tuning["method"].get("is_simulated") else "confirmed"
        section.lines.insert(0, f"the tuning was interrupted: what was not {what} is {rest}")
    return section


def _repeat(tuning: Mapping[str, Any]) -> Section:
    profile = tuning["profile"]
    lines = [f"profile: {profile}"] if profile else []
    changes = tuning.get("changes", ())
    lines += [text for text in (changes_text(changes), skipped_text(changes)) if text]
    if not tuning["complete"]:
        return Section("How to go on", lines, command=_resuming(tuning))
    return Section("How to repeat", lines, command=tuning["command"])


def _resuming(tuning: Mapping[str, Any]) -> str:
    """Return the command that goes on with an interrupted tuning."""
    verb = "espalier tune simulate" if tuning["method"].get("is_simulated") else "espalier tune"
    return f"{verb} --resume{str(tuning['command']).removeprefix(verb)}"
