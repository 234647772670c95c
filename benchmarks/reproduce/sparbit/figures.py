# SPDX-License-Identifier: Apache-2.0
"""Heat maps of who is best, and the spread of Sparbit's improvements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from contests import SPARBIT, UNITED, fields, improvement, tally, winner
from declared import MAPPINGS
from matplotlib.colors import to_rgb
from results import METRICS

from espalier.base.units import bytes_text
from espalier.report.figures.canvas import sheet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from contests import Fields
    from matplotlib.axes import Axes
    from tables import Findings

# What is not Sparbit's has the colour of its winner, what is has a grey: lighter is better.
_COLORS = {
    "ring": "#1f6f9f",
    "neighbor_exchange": "#7fb8da",
    "recursive_doubling": "#e8a33d",
    "bruck": "#b5482a",
}
_NOBODY = "#ffffff"
_DARKEST, _LIGHTEST = 0.25, 0.92
_ADVICE = "choose another folder with --page"
_MOST_LABELS = 12


def draw_winners(panels: Sequence[tuple[str, Fields]], path: Path) -> None:
    """Draw a heat map for each panel: rows are sizes, columns numbers of ranks."""
    with sheet(path, _ADVICE) as figure:
        figure.set_size_inches(7.2, 2.3 * len(panels) + 0.5)
        for axes, (title, cells) in zip(
            np.atleast_1d(figure.subplots(len(panels), 1)), panels, strict=True
        ):
            _draw_map(axes, title, cells)
        figure.supxlabel(
            "ring blue, neighbor exchange light blue, recursive doubling orange, bruck red;\n"
            "sparbit grey, the lighter the larger its improvement (white: two are equal)",
            fontsize=8,
        )


def mapping_panels(found: Findings) -> list[tuple[str, Fields]]:
    """Return a panel for each mapping and for both united, by average as published."""
    return [
        (f"{found.battery.title}, {mapping}", fields(found.replayed.times, mapping, "avg"))
        for mapping in (*MAPPINGS, UNITED)
    ]


def united_panel(found: Findings) -> tuple[str, Fields]:
    """Return the panel of both mappings."""
    return f"{found.battery.title}, united", fields(found.replayed.times, UNITED, "avg")


def _draw_map(axes: Axes, title: str, cells: Fields) -> None:
    ranks = sorted({num_ranks for num_ranks, _ in cells})
    sizes = sorted({size for _, size in cells})
    image = np.array(
        [
            [_color(cells.get((num_ranks, size), {})) for num_ranks in ranks]
            for size in reversed(sizes)
        ]
    )
    axes.grid(visible=False)
    axes.imshow(image, aspect="auto", interpolation="none")
    axes.set_title(title, fontsize=9)
    step = -(-len(ranks) // _MOST_LABELS)
    axes.set_xticks(range(0, len(ranks), step), [str(number) for number in ranks[::step]])
    places = range(0, len(sizes), 5)
    axes.set_yticks(
        [len(sizes) - 1 - place for place in places], [bytes_text(sizes[place]) for place in places]
    )


def _color(field: dict[str, float]) -> tuple[float, float, float]:
    best = winner(field)
    if best == SPARBIT:
        grey = _DARKEST + (_LIGHTEST - _DARKEST) * (improvement(field) or 0.0)
        return (grey, grey, grey)
    return to_rgb(_COLORS.get(best or "", _NOBODY))


def draw_improvements(rows: Sequence[tuple[Findings, str]], path: Path) -> None:
    """Draw a box for each metric of each battery and mapping; dots are far from it."""
    names = []
    values = []
    for found, mapping in rows:
        for metric in METRICS:
            one = tally(fields(found.replayed.times, mapping, metric).values())
            names.append(f"{found.battery.title}, {mapping}, {metric} ({one.wins})")
            values.append([100 * value for value in one.improvements])
    with sheet(path, _ADVICE) as figure:
        figure.set_size_inches(7.2, 0.24 * len(values) + 1.2)
        axes = figure.add_subplot()
        axes.set_title("Improvement of Sparbit where it is best, % (cells)")
        axes.boxplot(values, vert=False, sym=".", widths=0.6, manage_ticks=False)
        axes.set_yticks(range(1, len(names) + 1), names)
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
