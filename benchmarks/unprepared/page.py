# SPDX-License-Identifier: Apache-2.0
"""The page about unprepared programs, from the records that are kept."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gains
from cells import declared_cells
from simulated_times import date_of, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier.base.intervals import Interval

STUDY = "unprepared"
DATA = "unprepared.json"
_TEMPLATE = Path(__file__).with_suffix(".md")
# What the gains are told by, each in rows of its own.
_FACTORS = ("MPI", "hosts", "links", "placement", "collective", "size")


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    known = gains.read(data / DATA)
    records = list(known.values())
    found = gains.succeeded(records)
    names = {cell.name for cell in declared_cells(declared)}
    loop, runs = declared["loop"], declared["runs"]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        libraries=" and ".join(sorted({record["library"] for record in found})),
        num_cells=len(found),
        num_declared=len(names),
        num_measured=len(names & {record["cell"] for record in found}),
        num_all=len(declared_cells(declared, has_all_sizes=True)),
        num_calls=loop["stretches"] * loop["calls_per_stretch"],
        calls_per_stretch=loop["calls_per_stretch"],
        turns=runs["turns"],
        confidence=round(100 * _confidence(found, loop)),
        goal=goal_line(declared, found),
        means=means_table(declared, found),
        limit=declared["goal"]["no_cell_below"],
        below=below_table(declared, found),
        bound=_bound_text(declared),
        over=over_table(declared, found),
        most_start=_ms(declared["goal"]["start_seconds"]),
        edges=edges_table(found),
        spread=spread_line(found),
        busy=busy_line(found),
        problems=problems_list(records),
        missing=missing_line(declared, found),
    )


def summary(declared: Mapping[str, Any], records: Sequence[gains.Record]) -> str:
    """Return what a terminal shows at the end of the study."""
    found = gains.succeeded(records)
    if not found:
        return "no cell was measured"
    over = over_table(declared, found)
    parts = [means_table(declared, found), below_table(declared, found), over]
    return "\n".join([goal_line(declared, found), "", *parts, problems_list(records)])


def line_of(record: gains.Record, declared: Mapping[str, Any]) -> str:
    """Return one line about a cell that was just measured."""
    if "problem" in record:
        return f"{record['cell']}: FAILED: {record['problem']}"
    found = gains.gains_of(record, declared["loop"])
    words = ", ".join(f"{name} {gain.value:.2f}x" for name, gain in found.items())
    return f"{record['cell']}: {words} ({record['seconds']:.0f} s)"


def goal_line(declared: Mapping[str, Any], found: Sequence[gains.Record]) -> str:
    """Return what is aimed at for the second run, and what was reached."""
    goal, loop = declared["goal"], declared["loop"]
    mean = dict(zip(gains.measures(loop), gains.means(found, loop), strict=True))[gains.SECOND_RUN]
    low = gains.below(found, loop, goal["no_cell_below"])
    num_low = sum(measure == gains.SECOND_RUN for _, measure, _ in low)
    return (
        f"The goal is {goal['second_run']} in the geometric mean of second runs, and no cell below"
        f" {goal['no_cell_below']}. Reached: {mean:.2f}, and {num_low} of {len(found)} cells below."
    )


def means_table(declared: Mapping[str, Any], found: Sequence[gains.Record]) -> str:
    """Return the geometric means over all cells, and over those that have something in common."""
    loop = declared["loop"]
    rows = [["all", str(len(found)), *_mean_texts(found, loop)]]
    for factor in _FACTORS:
        values = list(dict.fromkeys(gains.factors_of(record)[factor] for record in found))
        for value in values if len(values) > 1 else ():
            part = [one for one in found if gains.factors_of(one)[factor] == value]
            rows.append([f"{factor}: {value}", str(len(part)), *_mean_texts(part, loop)])
    return table(["geometric mean", "cells", *gains.measures(loop)], rows)


def below_table(declared: Mapping[str, Any], found: Sequence[gains.Record]) -> str:
    """Return every gain below the limit, the lowest first, and what was learned in that cell."""
    limit = declared["goal"]["no_cell_below"]
    loop = declared["loop"]
    low = gains.below(found, loop, limit)
    if not low:
        return f"No cell is below {limit}.\n"
    rows = []
    for record, measure, gain in low:
        native = _ms(gains.native_seconds(record, measure, loop))
        rows.append([f"`{record['cell']}`", measure, native, _ratio(gain), _learned(record)])
    return table(["cell", "measure", "native, ms", "native / ours", "learned by the end"], rows)


def over_table(declared: Mapping[str, Any], found: Sequence[gains.Record]) -> str:
    """Return the first runs whose loops took longer than native + bound, the worst first."""
    pairs = [(gains.excess_of(record, declared["bound"]), record) for record in found]
    over = sorted((pair for pair in pairs if pair[0].value > 0), key=lambda pair: -pair[0].value)
    if not over:
        return "No first run took longer than that.\n"
    rows = []
    for excess, record in over:
        # Second runs are compared with whole native loops.
        native = _ms(gains.native_seconds(record, gains.SECOND_RUN, declared["loop"]))
        rows.append([f"`{record['cell']}`", native, _ms_interval(excess)])
    return table(["cell", "native loop, ms", "beyond native + bound, ms"], rows)


def edges_table(found: Sequence[gains.Record]) -> str:
    """Return what starting and ending take longer than natively, for each MPI and its hosts."""
    rows = []
    for place in dict.fromkeys(map(_place, found)):
        part = [record for record in found if _place(record) == place]
        for kind in gains.LEARNING[:2]:
            added = [gains.added_at_edge(part, edge, kind) for edge in gains.EDGES]
            rows.append([*place, f"{kind} run", *map(_ms_interval, added)])
    return table(["MPI", "hosts", "run", "starting, ms", "ending, ms"], rows)


def _place(record: gains.Record) -> tuple[str, str]:
    factors = gains.factors_of(record)
    return factors["MPI"], factors["hosts"]


def spread_line(found: Sequence[gains.Record]) -> str:
    """Return how much native runs of a cell differ among each other."""
    spreads = sorted(gains.native_spread(record) for record in found)
    middle, high = spreads[len(spreads) // 2], spreads[(9 * len(spreads)) // 10]
    return f"{middle:.2f} in the middle cell, and {high:.2f} or less in nine of ten"


def busy_line(found: Sequence[gains.Record]) -> str:
    """Return how much else the machine did, as was seen just before each cell."""
    busy = sorted(record["busy_processors"] for record in found)
    return f"{busy[len(busy) // 2]:.1f} in the middle cell, and at most {busy[-1]:.1f}"


def missing_line(declared: Mapping[str, Any], found: Sequence[gains.Record]) -> str:
    """Return how many declared cells of each size were not measured."""
    known = {record["cell"] for record in found}
    missing = [cell for cell in declared_cells(declared) if cell.name not in known]
    if not missing:
        return "All declared cells were measured."
    counts = Counter(cell.size for cell in sorted(missing, key=lambda cell: cell.num_bytes))
    sizes = ", ".join(f"{count} of {size}" for size, count in counts.items())
    return f"Declared cells that were not measured: {sizes}."


def problems_list(records: Sequence[gains.Record]) -> str:
    """Return the cells that failed and why, as a list."""
    lines = [f"- `{one['cell']}`: {one['problem']}" for one in records if "problem" in one]
    return "\n".join(lines) if lines else "- no cell failed"


def _confidence(found: Sequence[gains.Record], loop: Mapping[str, int]) -> float:
    return min(one.confidence for one in gains.gains_of(found[0], loop).values())


def _mean_texts(found: Sequence[gains.Record], loop: Mapping[str, int]) -> list[str]:
    return [f"{value:.2f}x" for value in gains.means(found, loop)]


def _ratio(gain: Interval) -> str:
    return f"{gain.value:.2f}x ({gain.low:.2f} .. {gain.high:.2f})"


def _learned(record: gains.Record) -> str:
    """Return what the files of lessons said after the third runs of all turns."""
    names = dict.fromkeys(turn[-1] or "nothing" for turn in record["learned"])
    return ", ".join(f"`{name}`" if "/" in name else name for name in names)


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.3g}"


def _ms_interval(seconds: Interval) -> str:
    return f"{_ms(seconds.value)} ({_ms(seconds.low)} .. {_ms(seconds.high)})"


def _bound_text(declared: Mapping[str, Any]) -> str:
    bound = declared["bound"]
    return f"{_ms(bound['seconds'])} ms or {100 * bound['share']:g} % of the loop"
