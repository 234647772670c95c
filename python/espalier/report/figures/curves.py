# SPDX-License-Identifier: Apache-2.0
"""Times over a quantity, a line for each series; one panel for each group of series."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

from espalier.report.figures import canvas

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

_STYLES = ("-", "--", ":", "-.")
_PANEL_INCHES = (4.2, 3.4)


@dataclasses.dataclass(frozen=True)
class Curve:
    """A named line; curves of one `color` differ in `style` only."""

    name: str
    points: Sequence[tuple[float, float]]
    color: int = 0
    style: int = 0


@dataclasses.dataclass(frozen=True)
class Panel:
    """Axes with curves on them; both axes are logarithmic unless `is_linear`."""

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    is_linear: bool = False


def draw_curves(panels: Sequence[Panel], path: Path, columns: int = 3) -> None:
    """Draw panels in rows.

    Raises:
        FileError: the file cannot be written.
    """
    with canvas.panels(path, len(panels), columns, _PANEL_INCHES) as places:
        for axes, panel in zip(places, panels, strict=True):
            _draw(axes, panel)


def _draw(axes: Axes, panel: Panel) -> None:
    axes.set_title(panel.title, fontsize=9)
    for curve in panel.curves:
        x, y = zip(*curve.points, strict=True)
        axes.plot(
            x,
            y,
            _STYLES[curve.style % len(_STYLES)],
            marker=".",
            color=f"C{curve.color % 6}",
            label=curve.name,
        )
    if not panel.is_linear:
        _scale(axes)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.legend(frameon=False, fontsize=6)


def _scale(axes: Axes) -> None:
    """Make both axes logarithmic, with plain numbers beside them."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.tick_params(axis="x", labelsize=6, rotation=45)
    for axis, numbers in ((axes.xaxis, "%d"), (axes.yaxis, "%g")):
        axis.set_major_formatter(FormatStrFormatter(numbers))
        axis.set_minor_formatter(NullFormatter())
