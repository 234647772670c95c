# SPDX-License-Identifier: Apache-2.0
"""The page about guided search, from the data that are kept."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import effort_data
from searching import estimated, searched
from simulated_times import date_of, table

from espalier.base.units import bytes_text, time_text
from espalier.sampling.samples import NATIVE
from espalier.tuning.simulated_goal import GUIDED_FACTOR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from searching import Searched

STUDY = "effort"
_TEMPLATE = Path(__file__).with_suffix(".md")


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    kept = effort_data.read(data)
    chosen, rows = declared["simulated"], kept["simulated"]
    searches = {
        f"measure, good enough {100 * share:g} %": [searched(row, chosen, share) for row in rows]
        for share in chosen["good_enough"]
    }
    misled = {
        f"{name}, mistaken machine": [searched(row, chosen, share, "mistaken") for row in rows]
        for name, share in zip(searches, chosen["good_enough"], strict=True)
    }
    first = next(iter(misled.values()))
    real, within = declared["real"], declared["real"]["within"]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        num_rows=len(rows),
        platforms="; ".join(
            f"`{one['name']}`, {one['ranks']} ranks: `{one['machine']}`"
            for one in chosen["platform"]
        ),
        peer=chosen["peer"],
        num_candidates=round(sum(len(row["us"]) for row in rows) / len(rows)),
        factor=GUIDED_FACTOR,
        within_percent=100 * within,
        efforts=table(
            _HEAD,
            [
                _row("estimate", [estimated(row) for row in rows], within),
                *(_row(name, found, within) for name, found in searches.items()),
                _row(
                    "estimate, mistaken machine",
                    [estimated(row, "mistaken") for row in rows],
                    within,
                ),
                *(_row(name, found, within) for name, found in misled.items()),
            ],
        ),
        farthest=table(*farthest_table(first, within)),
        version=kept["real"]["measure"]["version"],
        launcher=real["launcher"],
        real_seconds=table(*seconds_table(kept["real"])),
        real_points=table(*points_table(kept["real"])),
        real_outcome=real_outcome(kept["real"], real),
    )


_HEAD = [
    "effort",
    "candidates timed",
    "share of the time",
    "choice / best, mean",
    "worst",
    "beyond the goal",
]


def _row(name: str, found: Sequence[Searched], within: float) -> list[str]:
    regrets = [one.regret for one in found]
    timed = sum(one.num_timed for one in found)
    return [
        name,
        f"{timed} of {sum(len(one.row['us']) for one in found)}",
        f"{100 * sum(one.share_of_time for one in found) / len(found):.1f} %",
        f"{math.exp(sum(map(math.log, regrets)) / len(regrets)):.3f}",
        f"{max(regrets):.2f}",
        f"{sum(one > 1 + within for one in regrets)} of {len(found)}",
    ]


def farthest_table(found: Sequence[Searched], within: float) -> tuple[list[str], list[list[str]]]:
    """Return the rows in which the search misses the goal, the worst first."""
    head = ["platform", "call", "chosen", "best", "choice / best"]
    rows = []
    for one in sorted(found, key=lambda one: -one.regret):
        if one.regret > 1 + within:
            best = min(one.row["us"], key=lambda name: one.row["us"][name])
            where = f"{one.row['platform']}, {one.row['placement']}"
            call = f"{one.row['collective']} {bytes_text(one.row['bytes'])}"
            rows.append([where, call, f"`{one.algorithm}`", f"`{best}`", f"{one.regret:.2f}"])
    return head, rows


def seconds_table(real: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return how long each effort took."""
    whole = real["exhaustive"]["seconds"]
    return ["effort", "time", "share"], [
        [effort, time_text(found["seconds"]), f"{100 * found['seconds'] / whole:.1f} %"]
        for effort, found in real.items()
    ]


def distances(real: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], Mapping[str, Any], float]]:
    """Return the points of both efforts, and the time of the guided choice over the least one.

    Both times are those that the exhaustive search measured.
    """
    alike = {(one["collective"], one["bytes"]): one for one in real["exhaustive"]["points"]}
    found = []
    for one in real["measure"]["points"]:
        thorough = alike[one["collective"], one["bytes"]]
        us = {NATIVE: thorough["native_us"], **thorough["us"]}
        found.append((one, thorough, us[one["algorithm"]] / min(us.values())))
    return found


def points_table(real: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return what both efforts chose at each point."""
    head = ["call", "measure", "exhaustive", "choice / best"]
    rows = [
        [
            f"{one['collective']} {bytes_text(one['bytes'])}",
            f"`{one['algorithm']}`",
            f"`{thorough['algorithm']}`",
            f"{ratio:.2f}",
        ]
        for one, thorough, ratio in distances(real)
    ]
    return head, rows


def real_outcome(real: Mapping[str, Any], declared: Mapping[str, Any]) -> str:
    """Return whether the goal was reached here."""
    ratios = [ratio for _, _, ratio in distances(real)]
    near = sum(ratio <= 1 + declared["within"] for ratio in ratios)
    share = real["measure"]["seconds"] / real["exhaustive"]["seconds"]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return (
        f"{near} of {len(ratios)} choices are within {100 * declared['within']:g} % of the best,"
        f" and the mean is {mean:.3f}. It took {100 * share:.1f} % of the time; the goal is at most"
        f" {100 * declared['share_of_time']:g} %."
    )
