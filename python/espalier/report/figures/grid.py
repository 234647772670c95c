# SPDX-License-Identifier: Apache-2.0
"""A grid of processes before and after mapping: colours are nodes, shades what nodes consist of.

A line between two cells is a message between nodes. Of grids with more than two dimensions slices
are drawn, and messages between slices are left out.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from espalier.errors import ArgumentError
from espalier.maps import coloring
from espalier.report.figures.canvas import sheet
from espalier.report.map import amount_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from espalier.maps.seats import Seats

FORMATS = (".svg", ".png")
_MOST_SLICES = 12
_MOST_NAMED_CELLS = 1024
_MOST_LINES = 20_000
_COLORS = ("#a6cee3", "#b2df8a", "#fdbf6f", "#cab2d6", "#fb9a99", "#ffff99", "#80cdc1", "#d9d9d9")
_MESSAGE = "#b2182b"
_LEAST_SHADE = 0.8

_Line = list[tuple[float, float]]


@dataclasses.dataclass(frozen=True)
class Picture:
    """One half of the figure: where processes run."""

    title: str
    seats: Seats


def check_path(path: Path) -> None:
    """Raise ArgumentError unless the name says in which form to draw."""
    if path.suffix not in FORMATS:
        raise ArgumentError(f"expected --draw FILE with .svg or .png, got '{path}'")


def draw_grid(
    result: Mapping[str, Any],
    before: Seats,
    after: Seats,
    offsets: Sequence[Sequence[int]],
    path: Path,
) -> None:
    """Draw an `espalier-map` document; `offsets` are those of its stencil."""
    level, crossing = _drawn_level(result["metrics"])
    cut = {
        when: amount_text(sum(one[when]["total"] for one in crossing))
        for when in ("before", "after")
    }
    unit = f"{result['unit']} between {level}s"
    pictures = [
        Picture(f"before: {cut['before']} {unit}", before),
        Picture(f"after ({result['algorithm']}): {cut['after']}", after),
    ]
    grid = result["grid"]
    messages = _Messages(
        tuple(grid["extents"]), tuple(grid["periodic"]), tuple(map(tuple, offsets))
    )
    slices, rows, columns = coloring.slices_of(result["dims"])
    shown = min(slices, _MOST_SLICES)
    with sheet(path, "choose another file with --draw") as figure:
        _set_size(figure, rows, columns, shown, is_sliced=slices > 1)
        if slices > 1:
            places = list(figure.subplots(2, shown, squeeze=False))
        else:
            places = [[axes] for axes in figure.subplots(1, 2)]
        for axes, picture in zip(places, pictures, strict=True):
            _draw(axes, picture, grid, messages)
        notes = [f"{shown} of {slices} slices"] if shown < slices else []
        nodes = np.array(before.group_of_position)
        if messages.are_too_many(nodes):
            notes.append("messages are left out where there are more than 20000")
        figure.supxlabel("; ".join(notes), fontsize=8)


@dataclasses.dataclass(frozen=True)
class _Messages:
    """The messages of a grid inside its slices; those round the end of a ring are stubs."""

    extents: tuple[int, ...]
    periodic: tuple[bool, ...]
    offsets: tuple[tuple[int, ...], ...]

    def lines(self, nodes: np.ndarray) -> dict[int, list[_Line]]:
        """Return for each slice a line for each message between nodes; none if too many."""
        found: dict[int, list[_Line]] = {}
        for offset, starts in self._crossing(nodes.reshape(self.extents)):
            for place in starts.tolist():
                self._add(found, place, offset)
        return {} if self.are_too_many(nodes) else found

    def are_too_many(self, nodes: np.ndarray) -> bool:
        """Return whether lines would hide everything."""
        crossing = self._crossing(nodes.reshape(self.extents))
        return sum(len(starts) for _, starts in crossing) > _MOST_LINES

    def _crossing(self, nodes: np.ndarray) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
        for offset in self.offsets:
            if any(offset[:-2]):
                continue
            other = np.roll(nodes, [-step for step in offset], tuple(range(nodes.ndim)))
            starts = np.argwhere(nodes != other)
            ends = starts + np.array(offset)
            outside = (ends < 0) | (ends >= np.array(self.extents))
            yield offset, starts[~(outside & ~np.array(self.periodic)).any(axis=1)]

    def _add(self, found: dict[int, list[_Line]], place: list[int], offset: Sequence[int]) -> None:
        steps = zip(place, offset, self.extents, strict=True)
        leaves = any(not 0 <= at + step < extent for at, step, extent in steps)
        first, last = _segment(offset, leaves=leaves)
        outer = self.extents[:-2]
        number = int(np.ravel_multi_index(place[:-2], outer)) if outer else 0
        row, down = (place[-2], offset[-2]) if len(place) > 1 else (0, 0)
        found.setdefault(number, []).append(
            [(place[-1] + part * offset[-1], row + part * down) for part in (first, last)]
        )


def _drawn_level(
    metrics: Sequence[Mapping[str, Any]],
) -> tuple[str, Sequence[Mapping[str, Any]]]:
    """Return between what lines are drawn, and the levels whose messages cross it.

    These are nodes, or what the machine consists of if it has only one.
    """
    several = [number for number, level in enumerate(metrics) if level["groups"] > 1]
    nodes = [number for number in several if metrics[number]["level"] == "node"]
    drawn = (nodes or several or [0])[0]
    return metrics[drawn]["level"], metrics[: drawn + 1]


def _set_size(figure: Figure, rows: int, columns: int, across: int, *, is_sliced: bool) -> None:
    ratio = rows / columns
    width = 2.4 * across if is_sliced else 10.0
    height = (
        (width / across * min(4.0, max(0.25, ratio)) + 0.8) * 2
        if is_sliced
        else (width / 2 * min(2.0, max(0.15, ratio)) + 0.8)
    )
    figure.set_size_inches(max(4.0, width), height)


def _draw(
    places: Sequence[Axes],
    picture: Picture,
    grid: Mapping[str, Any],
    messages: _Messages,
) -> None:
    extents = grid["extents"]
    _, rows, columns = coloring.slices_of(extents)
    groups = np.array(picture.seats.group_of_position)
    image = _image(picture.seats, extents).reshape(-1, rows, columns, 3)
    sliced = groups.reshape(-1, rows, columns)
    lines = messages.lines(groups)
    for number, axes in enumerate(places):
        axes.imshow(image[number], interpolation="nearest")
        axes.set_axis_off()
        name = coloring.slice_name(extents, number)
        title = [picture.title] if number == 0 else []
        axes.set_title("\n".join([*title, name] if name else title), fontsize=9)
        if rows * columns <= _MOST_NAMED_CELLS:
            _name_cells(axes, sliced[number])
        axes.add_collection(LineCollection(lines.get(number, []), colors=_MESSAGE, linewidths=0.9))


def _image(seats: Seats, extents: Sequence[int]) -> np.ndarray:
    nodes = [seat.node for seat in seats.of_position]
    colors = coloring.colors_of(nodes, extents, len(_COLORS))
    rgb = np.array([to_rgb(_COLORS[colors[node]]) for node in nodes])
    parts = np.array(seats.part_of_position)
    shades = np.linspace(1.0, _LEAST_SHADE, 1 + int(parts.max()))
    shaded: np.ndarray = rgb * shades[parts][:, None]
    return shaded


def _name_cells(axes: Axes, nodes: np.ndarray) -> None:
    size = max(3.5, min(9.0, 160 / max(nodes.shape)))
    for (row, column), node in np.ndenumerate(nodes):
        axes.text(column, row, str(node), ha="center", va="center", fontsize=size, color="#333333")


def _segment(offset: Sequence[int], *, leaves: bool) -> tuple[float, float]:
    """Return which part of the way to a neighbour is drawn: near ones have a short line."""
    if leaves:
        return (0.3, 0.5)
    return (0.3, 0.7) if max(map(abs, offset)) == 1 else (0.0, 1.0)
