# SPDX-License-Identifier: Apache-2.0
"""The page about collectives inside a node, from the data that are kept."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

import node_ratios as ratios
from simulated_times import date_of, table, wrapped

from espalier.base.units import bytes_text, three_digits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from node_ratios import Cell, Contest, Goal

    Record = Mapping[str, Any]

STUDY = "node"
FILE = "node.json"
_TEMPLATE = Path(__file__).with_suffix(".md")
_MOST_LOSSES = 25
_NOT_MEASURED = "Not measured yet.\n"
_MANY = 1000
_BOUND = 2  # ranks, each with a core of its own


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    records = json.loads((data / FILE).read_text(encoding="utf-8"))["records"]
    every = ratios.cells_of(records, declared["sizes"])
    cells = [one for one in every if not one.is_empty]
    goal = ratios.goal_of(declared)
    bound = [one for one in cells if one.num_ranks == _BOUND]
    shared = [one for one in cells if one.num_ranks != _BOUND]
    lost = [ratios.losses(some, goal) for some in (bound, shared)]
    line, copies = ratios.limits(records)
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        most=bytes_text(goal.most_bytes),
        goal=goal,
        goal_calls=_listed(goal.calls),
        empty=_empty([one for one in every if one.is_empty]),
        libraries=_listed(dict.fromkeys(one.mpi for one in cells)),
        launches=_launches(records),
        load=_load(records),
        outcome="\n".join(wrapped(f"* {one}", "  ") for one in _outcome(cells, goal)),
        losses=_losses(lost[0]),
        losses_shared=_losses(lost[1]) if shared else _NOT_MEASURED,
        contests=_contests(bound, goal),
        contests_shared=_contests(shared, goal) if shared else _NOT_MEASURED,
        means=_means(cells, goal),
        line=f"{1e3 * statistics.median(line):.0f} ns",
        line_range=f"{1e3 * min(line):.0f} .. {1e3 * max(line):.0f} ns",
        num_launches=len(line),
        multiples=_multiples(bound, records, declared["sizes"], copies),
        spread=_spread(cells),
        choices=_choices(records, declared["calls"]),
        problems=_problems(records),
    )


def _listed(names: Iterable[str]) -> str:
    first = list(names)
    return ", ".join(first[:-1]) + f" and {first[-1]}" if len(first) > 1 else "".join(first)


def _launches(records: Sequence[Record]) -> str:
    """Return how often each setting was launched."""
    fewest: dict[int, int] = {}
    for record in records:
        if record["launches"]:
            number = min(len(record["launches"]), fewest.get(record["ranks"], _MANY))
            fewest[record["ranks"]] = number
    return _listed(f"{number} with {ranks} ranks" for ranks, number in fewest.items())


def _load(records: Sequence[Record]) -> str:
    """Return the load average before launches: what was left of it was of other programs, too."""
    found = sorted(launch["load"] for record in records for launch in record["launches"])
    return f"{statistics.median(found):.1f} in the middle, {found[0]:.1f} .. {found[-1]:.1f}"


def interval(cell: Cell) -> str:
    """Return a ratio with what single launches found."""
    return f"{cell.ratio:.2f} ({cell.low:.2f} .. {cell.high:.2f})"


def _outcome(cells: Sequence[Cell], goal: Goal) -> list[str]:
    """Return a line for each number of ranks: how much of each goal is reached."""
    lines = []
    for num_ranks in dict.fromkeys(one.num_ranks for one in cells):
        own = [one for one in cells if one.num_ranks == num_ranks]
        wanted = [one for one in ratios.contests(own) if goal.is_for(one.best_default)]
        met = [ratios.is_met(one, goal) for one in wanted]
        lost = ratios.losses(own, goal)
        surely = sum(one.low > goal.never_above for one in lost)
        lines.append(
            f"**{num_ranks} ranks**: at most {goal.of_best_default} of the best default in "
            f"{sum(first for first, _ in met)} of {len(met)} cells, at most "
            f"{goal.of_best_setting} of the best setting in {sum(second for _, second in met)} of "
            f"them; above {goal.never_above} in {len(lost)} of {len(own)} cells of all calls, "
            f"sizes and settings, in {surely} of them in every launch."
        )
    return lines


def _losses(lost: Sequence[Cell]) -> str:
    if not lost:
        return "None.\n"
    head = ["MPI", "setting", "ranks", "call", "size", "library, us", "ours / library"]
    rows = [
        [
            one.mpi,
            one.setting,
            str(one.num_ranks),
            one.call,
            bytes_text(one.num_bytes),
            three_digits(one.native_us),
            interval(one),
        ]
        for one in lost[:_MOST_LOSSES]
    ]
    left = len(lost) - len(rows)
    more = f"\n{left} more are in the data.\n" if left else ""
    return table(head, rows) + more


def _empty(cells: Sequence[Cell]) -> str:
    """Return what calls without data take, in the middle of calls and settings."""
    rows = []
    for mpi, num_ranks in dict.fromkeys((one.mpi, one.num_ranks) for one in cells):
        own = [one for one in cells if (one.mpi, one.num_ranks) == (mpi, num_ranks)]
        native = statistics.median(one.native_us for one in own)
        ours = statistics.median(one.ours_us for one in own)
        ratio = statistics.median(one.ratio for one in own)
        rows.append(
            [mpi, str(num_ranks), f"{1e3 * native:.0f}", f"{1e3 * ours:.0f}", f"{ratio:.2f}"]
        )
    return table(["MPI", "ranks", "library, ns", "ours, ns", "ours / library"], rows)


def _contests(cells: Sequence[Cell], goal: Goal) -> str:
    """Return the table of the best peers of each call and size; the worst for us first."""
    rows = [
        [
            str(one.best_default.num_ranks),
            one.best_default.call,
            bytes_text(one.best_default.num_bytes),
            *_side(one.best_default, with_setting=False),
            *_side(one.best_setting, with_setting=True),
            _verdict(one, goal),
        ]
        for one in sorted(ratios.contests(cells), key=lambda one: -one.best_default.ratio)
        if goal.is_for(one.best_default)
    ]
    head = ["ranks", "call", "size", "best default", "us", "ours / it"]
    return table([*head, "best setting", "us", "ours / it", "reached"], rows)


def _side(cell: Cell, *, with_setting: bool) -> list[str]:
    name = f"{cell.mpi}, {cell.setting}" if with_setting else cell.mpi
    return [name, three_digits(cell.native_us), interval(cell)]


def _verdict(contest: Contest, goal: Goal) -> str:
    default, setting = ratios.is_met(contest, goal)
    return (
        "both" if default and setting else "default" if default else "setting" if setting else "-"
    )


def _means(cells: Sequence[Cell], goal: Goal) -> str:
    """Return geometric means of ratios, by setting and number of ranks."""
    rows = []
    for mpi, setting, num_ranks in dict.fromkeys((o.mpi, o.setting, o.num_ranks) for o in cells):
        own = [o for o in cells if (o.mpi, o.setting, o.num_ranks) == (mpi, setting, num_ranks)]
        wanted = [one for one in own if goal.is_for(one)]
        small = [o for o in own if o.call not in goal.calls and o.num_bytes <= goal.most_bytes]
        large = [one for one in own if one.num_bytes > goal.most_bytes]
        means = [_mean(some) for some in (wanted, small, large)]
        worst = max(own, key=lambda one: one.ratio)
        told = f"{worst.ratio:.2f}: {worst.call}, {bytes_text(worst.num_bytes)}"
        rows.append([mpi, setting, str(num_ranks), *means, told])
    most = bytes_text(goal.most_bytes)
    head = ["MPI", "setting", "ranks", f"calls of the goal up to {most}"]
    return table([*head, f"others up to {most}", "all above", "worst cell"], rows)


def _mean(cells: Sequence[Cell]) -> str:
    return f"{ratios.mean([one.ratio for one in cells]):.2f}" if cells else ""


def _multiples(
    cells: Sequence[Cell],
    records: Sequence[Record],
    sizes: Sequence[int],
    copies: Mapping[int, float],
) -> str:
    """Return barrier and bcast as multiples of what the hardware allows, beside the best peer."""
    rows = []
    for contest in ratios.contests(o for o in cells if o.call in {"barrier", "bcast"}):
        peer = contest.best_setting
        found = ratios.multiples_of(peer, records, sizes.index(peer.num_bytes))
        speed = peer.num_bytes / copies[peer.num_bytes] / 1e3 if peer.num_bytes else None
        rows.append(
            [
                peer.call,
                bytes_text(peer.num_bytes),
                "" if speed is None else f"{speed:.1f}",
                f"{1e3 * found.least_us:,.0f}",
                f"{found.ours:.2f}",
                f"{found.native:.2f}",
                f"{peer.mpi}, {peer.setting}",
            ]
        )
    head = ["call", "size", "copy, GB/s", "limit, ns", "ours", "best peer", "which"]
    return table(head, rows)


def _spread(cells: Sequence[Cell]) -> str:
    rows = []
    for num_ranks in dict.fromkeys(one.num_ranks for one in cells):
        for call in dict.fromkeys(one.call for one in cells):
            own = [o for o in cells if (o.num_ranks, o.call) == (num_ranks, call)]
            found = ratios.spreads(own)
            if found:
                tenth = found[min(len(found) - 1, round(0.9 * (len(found) - 1)))]
                middle = statistics.median(found)
                worst = [f"{one:.2f}" for one in (middle, tenth, found[-1])]
                rows.append([str(num_ranks), call, str(len(found)), *worst])
    return table(["ranks", "call", "cells", "in the middle", "nine of ten", "worst"], rows)


def _choices(records: Sequence[Record], calls: Sequence[str]) -> str:
    """Return what the profile of the first setting chooses."""
    first = next(one for one in records if one.get("choices"))
    rows = [
        [call, ", ".join(f"from {bytes_text(least)} `{choice}`" for least, choice in changes)]
        for call in calls
        if (changes := _changes(first["choices"].get(call, [])))
    ]
    return table(
        [f"call, {first['mpi']}, {first['setting']}, {first['ranks']} ranks", "choice"], rows
    )


def _changes(rules: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the rules whose choice is not that of the rule before."""
    return [
        (least, choice)
        for place, (least, choice) in enumerate(rules)
        if place == 0 or choice != rules[place - 1][1]
    ]


def _problems(records: Sequence[Record]) -> str:
    found = [f"* {one['key']}: {one['problem']}" for one in records if "problem" in one]
    return "\n".join(found) if found else "* no setting failed"
