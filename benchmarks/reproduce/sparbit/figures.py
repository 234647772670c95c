# SPDX-License-Identifier: Apache-2.0
"""Heat maps of who is best, and the spread of Sparbit's improvements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from contests import UNITED
from declared import MAPPINGS, batteries
from matplotlib.colors import to_rgb
from results import METRICS

from espalier.base.units import bytes_text
from espalier.report.figures.canvas import sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from outcomes import Outcomes, Series

# What is not Sparbit's has the colour of its winner, what is has a grey: lighter is better.
_COLORS = {
    "ring": "#1f6f9f",
    "neighbor_exchange": "#7fb8da",
    "recursive_doubling": "#e8a33d",
    "bruck": "#b5482a",
}
_NOBODY = "#ffffff"
_DARKEST, _LIGHTEST = 0.25, 0.92
_ADVICE = "choose another folder"
_MOST_LABELS = 12


def draw(found: Mapping[Series, Outcomes], folder: Path) -> None:
    """Draw all figures, by average as published where a figure has one metric."""
    rows = [
        (battery.name, mapping)
        for battery in batteries().values()
        for mapping in (*MAPPINGS, UNITED)
        if (battery.name, mapping, "avg") in found
    ]
    gathers = [name for name, battery in batteries().items() if battery.collective == "allgather"]
    for name in gathers:
        own = [row for row in rows if row[0] == name]
        draw_winners(_panels(found, own), folder / f"sparbit-{name}.svg")
    vectors = [row for row in rows if row[0] not in gathers]
    draw_winners(_panels(found, vectors), folder / "sparbit-allgatherv.svg")
    draw_improvements(found, rows, folder / "sparbit-improvements.svg")


def _panels(
    found: Mapping[Series, Outcomes], rows: Sequence[tuple[str, str]]
) -> list[tuple[str, Outcomes]]:
    return [
        (f"{batteries()[name].title}, {mapping}", found[name, mapping, "avg"])
        for name, mapping in rows
    ]


def draw_winners(panels: Sequence[tuple[str, Outcomes]], path: Path) -> None:
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


def _draw_map(axes: Axes, title: str, cells: Outcomes) -> None:
    ranks = sorted({num_ranks for num_ranks, _ in cells})
    sizes = sorted({size for _, size in cells})
    image = np.array(
        [[_color(cells.get((num_ranks, size))) for num_ranks in ranks] for size in reversed(sizes)]
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


def _color(outcome: str | float | None) -> tuple[float, float, float]:
    if isinstance(outcome, float):
        grey = _DARKEST + (_LIGHTEST - _DARKEST) * outcome / 100
        return (grey, grey, grey)
    return to_rgb(_NOBODY if outcome is None else _COLORS[outcome])


def draw_improvements(
    found: Mapping[Series, Outcomes], rows: Sequence[tuple[str, str]], path: Path
) -> None:
    """Draw a box for each metric of each battery and mapping; dots are far from it."""
    names = []
    values = []
    for name, mapping in rows:
        for metric in METRICS:
            own = [one for one in found[name, mapping, metric].values() if isinstance(one, float)]
            names.append(f"{batteries()[name].title}, {mapping}, {metric} ({len(own)})")
            values.append(own)
    with sheet(path, _ADVICE) as figure:
        figure.set_size_inches(7.2, 0.24 * len(values) + 1.2)
        axes = figure.add_subplot()
        axes.set_title("Improvement of Sparbit where it is best, % (cells)")
        axes.boxplot(values, orientation="horizontal", sym=".", widths=0.6, manage_ticks=False)
        axes.set_yticks(range(1, len(names) + 1), names)
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
