# SPDX-License-Identifier: Apache-2.0
"""The matrix of round trips as a map; where levels were found, lines part their objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.ticker import LogLocator

from espalier.base.units import bytes_text
from espalier.report.figures.canvas import canvas

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from espalier.probing.matrix_file import RttMatrix

_MOST_LABELS = 32


def draw_heat_map(matrix: RttMatrix, object_of_rank: Sequence[Sequence[int]], path: Path) -> None:
    """Draw a matrix; ranks are sorted by the levels, outermost first, in `object_of_rank`."""
    order = sorted(range(matrix.num_ranks), key=lambda rank: [one[rank] for one in object_of_rank])
    times = np.ma.masked_invalid(matrix.rtt_us[np.ix_(order, order)])
    times = np.ma.masked_equal(times, 0.0)
    size = "" if matrix.num_bytes is None else f" of {bytes_text(matrix.num_bytes)}"
    with canvas(path, f"Round trips{size} between ranks (white: not measured)") as axes:
        axes.grid(visible=False)
        drawn = axes.imshow(times, norm=LogNorm() if times.count() else None)
        if times.count():
            ticks = LogLocator(subs=(1.0, 2.0, 5.0))
            bar = axes.figure.colorbar(drawn, ax=axes, label="us", ticks=ticks, format="%g")
            bar.minorticks_off()
        step = max(1, -(-matrix.num_ranks // _MOST_LABELS))
        places = range(0, matrix.num_ranks, step)
        names = [matrix.labels[order[place]] for place in places]
        axes.set_xticks(list(places), names, rotation=90)
        axes.set_yticks(list(places), names)
        axes.set_xlabel("to")
        axes.set_ylabel("from, which sends first")
        for depth, level in enumerate(object_of_rank):
            _part(axes, [level[rank] for rank in order], 1.6 / (1 + depth))


def _part(axes: Axes, objects: Sequence[int], width: float) -> None:
    if len(set(objects)) == len(objects):
        return
    for place in range(1, len(objects)):
        if objects[place] != objects[place - 1]:
            axes.axhline(place - 0.5, color="white", linewidth=width)
            axes.axvline(place - 0.5, color="white", linewidth=width)
