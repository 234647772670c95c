# SPDX-License-Identifier: Apache-2.0
"""A grid of processes on the terminal: numbers are nodes, letters what nodes consist of."""

from __future__ import annotations

import dataclasses
import string
from typing import TYPE_CHECKING, Any

from rich.style import Style
from rich.text import Text

from espalier.maps import coloring

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import Console

_MOST_LINES = 60
_LETTERS = string.ascii_lowercase
_SIGNS = string.digits + string.ascii_uppercase + string.ascii_lowercase
# Backgrounds on which black is read, of the 256 colours most terminals have.
_BACKGROUNDS = (153, 223, 157, 217, 183, 229, 159, 250)


@dataclasses.dataclass(frozen=True)
class _Labels:
    """What is written in the cells."""

    of_cell: Callable[[int], str]
    width: int  # with the space between cells
    legend: str


def print_grid(console: Console, result: Mapping[str, Any]) -> None:
    """Draw the grid of an `espalier-map` document as large as fits; say what does not."""
    extents = result["dims"]
    slices, rows, columns = coloring.slices_of(extents)
    labels = _labels(result["seats"], columns, console.width)
    colors = coloring.colors_of(result["seats"]["node"], extents, len(_BACKGROUNDS))
    shown_columns = min(columns, console.width // labels.width)
    shown_rows = min(rows, _MOST_LINES)
    shown_slices = max(1, min(slices, _MOST_LINES // (shown_rows + 1)))
    console.print(labels.legend, soft_wrap=True)
    for number in range(shown_slices):
        if name := coloring.slice_name(extents, number):
            console.print(Text(name, style="bold"))
        for row in range(shown_rows):
            first = (number * rows + row) * columns
            cells = range(first, first + shown_columns)
            console.print(_line(cells, labels, result["seats"]["node"], colors), soft_wrap=True)
    if (shown_slices, shown_rows, shown_columns) != (slices, rows, columns):
        of_slices = f" in {shown_slices} of {slices} slices" if slices > 1 else ""
        console.print(
            f"cut to fit: {shown_rows} of {rows} rows and {shown_columns} of {columns}"
            f" columns{of_slices}; --draw FILE.svg draws all",
            soft_wrap=True,
        )


def _line(cells: range, labels: _Labels, nodes: Sequence[int], colors: Mapping[int, int]) -> Text:
    text = Text()
    for cell in cells:
        background = _BACKGROUNDS[colors[nodes[cell]]]
        style = Style(color="black", bgcolor=f"color({background})")
        text.append(labels.of_cell(cell), style)
    return text


def _labels(seats: Mapping[str, Any], columns: int, width: int) -> _Labels:
    """Return numbers with letters, without letters, or one sign a node: the first that fits."""
    nodes, parts = seats["node"], seats["part"]
    last = max(nodes)
    digits = len(str(last))
    ways = [_Labels(lambda cell: f"{nodes[cell]:>{digits}} ", digits + 1, "number: node")]
    if seats["part_name"] and max(parts) < len(_LETTERS):
        legend = f"number: node, letter: {seats['part_name']} of the node"
        ways.insert(
            0,
            _Labels(
                lambda cell: f"{nodes[cell]:>{digits}}{_LETTERS[parts[cell]]} ", digits + 2, legend
            ),
        )
    if last < len(_SIGNS):
        legend = f"sign: node, {_SIGNS[: 1 + last]}"
        ways.append(_Labels(lambda cell: _SIGNS[nodes[cell]], 1, legend))
    return next((way for way in ways if way.width * columns <= width), ways[-1])
