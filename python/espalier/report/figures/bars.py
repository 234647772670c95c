# SPDX-License-Identifier: Apache-2.0
"""Bars from the least to the greatest of several values, with a mark at their mean."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from matplotlib.ticker import FormatStrFormatter

from espalier.report.figures import canvas

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

_PANEL_INCHES = (4.0, 2.6)
_BAR_WIDTH = 0.7


@dataclasses.dataclass(frozen=True)
class Bar:
    """A named range."""

    name: str
    low: float
    mean: float
    high: float


@dataclasses.dataclass(frozen=True)
class BarPanel:
    """Bars side by side."""

    title: str
    y_label: str
    bars: Sequence[Bar]


def draw_bars(panels: Sequence[BarPanel], path: Path, columns: int = 3) -> None:
    """Draw panels in rows; the line at 0 parts gains from losses.

    Raises:
        FileError: the file cannot be written.
    """
    with canvas.panels(path, len(panels), columns, _PANEL_INCHES) as places:
        for axes, panel in zip(places, panels, strict=True):
            _draw(axes, panel)


def _draw(axes: Axes, panel: BarPanel) -> None:
    axes.set_title(panel.title, fontsize=9)
    places = range(len(panel.bars))
    heights = [bar.high - bar.low for bar in panel.bars]
    lows = [bar.low for bar in panel.bars]
    axes.bar(places, heights, _BAR_WIDTH, bottom=lows, color="C0", alpha=0.5)
    axes.plot(places, [bar.mean for bar in panel.bars], "_", color="black", markersize=12)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(list(places), [bar.name for bar in panel.bars], rotation=90, fontsize=7)
    axes.yaxis.set_major_formatter(FormatStrFormatter("%g"))
    axes.set_ylabel(panel.y_label)
