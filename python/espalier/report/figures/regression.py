# SPDX-License-Identifier: Apache-2.0
"""Round trips against sizes, and the line 2 alpha + 2 beta m that was put through them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from espalier.base.units import bytes_text
from espalier.report.figures.canvas import canvas, label_end

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.axes import Axes


def draw_regression(level: Mapping[str, Any], path: Path) -> None:
    """Draw the latency table of a level with intervals, its fit, and the eager limit if any."""
    rows = [row for row in level["latency_table"] if row["bytes"] > 0]
    sizes = np.array([row["bytes"] for row in rows], dtype=float)
    times = np.array([row["rtt_us"] for row in rows])
    below = times - np.array([row["low_us"] for row in rows])
    above = np.array([row["high_us"] for row in rows]) - times
    with canvas(path, f"Round trips of one pair, {level['between']}") as axes:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.errorbar(
            sizes, times, yerr=[below.clip(min=0), above.clip(min=0)], fmt="o", color="C0"
        )
        _draw_fit(axes, level["fit"], sizes)
        if level["eager_bytes"] is not None:
            axes.axvline(level["eager_bytes"], color="#888888", linestyle=":", linewidth=1)
            text = f"eager up to {bytes_text(level['eager_bytes'])}"
            axes.text(level["eager_bytes"], times.min(), f" {text}", fontsize=8, color="#666666")
        axes.set_xticks(sizes[::4], [bytes_text(int(size)) for size in sizes[::4]])
        axes.set_xlabel("size of the message")
        axes.set_ylabel("us, there and back")


def _draw_fit(axes: Axes, fit: Mapping[str, Any], sizes: Any) -> None:
    alpha, bandwidth = fit["alpha_us"], fit["bandwidth_megabytes_per_s"]
    if alpha is None or bandwidth is None:
        return
    # MB/s are bytes a microsecond.
    line = 2 * alpha["value"] + 2 * sizes / bandwidth["value"]
    axes.plot(sizes, line, color="C1")
    text = f"2 alpha + 2 m / {bandwidth['value']:.3g} MB/s\nalpha = {alpha['value']:.3g} us"
    middle = len(sizes) // 3
    axes.annotate(
        text,
        (sizes[middle], line[middle]),
        xytext=(-6, 18),
        textcoords="offset points",
        color="C1",
        fontsize=8,
        ha="right",
    )


def draw_pairs(level: Mapping[str, Any], path: Path) -> None:
    """Draw the total bandwidth of a level against the number of pairs, a line a configuration."""
    with canvas(path, f"Total bandwidth of several pairs, {level['between']}") as axes:
        for number, (name, rows) in enumerate(series(level)):
            pairs = [row["pairs"] for row in rows]
            totals = [1e-6 * row["total_bytes_per_s"] for row in rows]
            color = f"C{number % 6}"
            axes.plot(pairs, totals, marker="o", color=color)
            label_end(axes, pairs[-1], totals[-1], name, color)
        channels = level["channels"]
        if channels is not None and channels["count"] is not None:
            axes.axvline(channels["count"], color="#888888", linestyle=":", linewidth=1)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("pairs at a time (dotted: channels)")
        axes.set_ylabel("MB/s, all pairs together")


def series(level: Mapping[str, Any]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Return rows of the largest messages back to back, by configuration."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in level["multi_bandwidth"]:
        found.setdefault(row["label"].partition("/")[2], []).append(row)
    lines = []
    for name, rows in found.items():
        largest = max(row["bytes"] for row in rows)
        kept = sorted((row for row in rows if row["bytes"] == largest), key=lambda r: r["pairs"])
        if len(kept) > 1:
            lines.append((name, kept))
    return lines
