# SPDX-License-Identifier: Apache-2.0
"""A figure in the house style, and the file it becomes."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.style
from matplotlib.figure import Figure

from espalier.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

_STYLE = Path(__file__).with_name("espalier.mplstyle")


@contextlib.contextmanager
def canvas(path: Path, title: str) -> Iterator[Axes]:
    """Hand out axes to draw on, and write them to a file; the same drawing gives the same bytes.

    Raises:
        FileError: it cannot be written.
    """
    with sheet(path, "choose another folder with --figures") as figure:
        axes = figure.add_subplot()
        axes.set_title(title)
        yield axes


@contextlib.contextmanager
def sheet(path: Path, advice: str) -> Iterator[Figure]:
    """Hand out an empty figure, and write it to a file whose name says in which form.

    Raises:
        FileError: it cannot be written; says the advice.
    """
    # Only vector formats carry a date.
    metadata = {} if path.suffix == ".png" else {"Date": None}
    with matplotlib.style.context(_STYLE):
        figure = Figure()
        yield figure
        try:
            figure.savefig(path, metadata=metadata)
        except OSError as error:
            raise FileError(
                f"{path}: expected to write a figure, got '{error.strerror}'", advice
            ) from error


@contextlib.contextmanager
def panels(
    path: Path, count: int, columns: int, panel_inches: tuple[float, float]
) -> Iterator[list[Axes]]:
    """Hand out axes in rows of so many columns at most, and write them to a file.

    Raises:
        FileError: it cannot be written.
    """
    columns = min(columns, count)
    rows = -(-count // columns)
    with sheet(path, "choose another folder") as figure:
        figure.set_size_inches(panel_inches[0] * columns, panel_inches[1] * rows)
        places = list(figure.subplots(rows, columns, squeeze=False).flat)
        yield places[:count]
        for axes in places[count:]:
            axes.set_axis_off()


def label_end(axes: Axes, x: float, y: float, text: str, color: str) -> None:
    """Write the name of a line at its end."""
    axes.annotate(
        text,
        (x, y),
        xytext=(6, 0),
        textcoords="offset points",
        color=color,
        fontsize=8,
        va="center",
        annotation_clip=False,
    )
