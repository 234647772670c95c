# SPDX-License-Identifier: Apache-2.0
"""Predicted against measured times; what is right lies on the diagonal."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any, NamedTuple

from espalier.report.figures.canvas import canvas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


class Pair(NamedTuple):
    """A candidate at one size, in microseconds."""

    measured_us: float
    predicted_us: float


def pairs_of(found: Mapping[str, Any], model: str, patterns: Sequence[str]) -> list[Pair]:
    """Return the candidates of an `espalier-model-validation` document that match a pattern."""
    return [
        Pair(one["measured_us"], one["predicted_us"][model])
        for point in found["points"]
        for name, one in point["candidates"].items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ]


def draw_prediction(title: str, series: Iterable[tuple[str, list[Pair]]], path: Path) -> None:
    """Draw one cloud for each named series, on logarithmic axes of one scale."""
    with canvas(path, title) as axes:
        values: list[float] = []
        for number, (name, pairs) in enumerate(series):
            measured = [pair.measured_us for pair in pairs]
            predicted = [pair.predicted_us for pair in pairs]
            values += measured + predicted
            axes.plot(
                measured, predicted, "o", markersize=4, alpha=0.6, color=f"C{number}", label=name
            )
        ends = [0.8 * min(values), 1.25 * max(values)]
        axes.plot(ends, ends, color="#888888", linewidth=1)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(*ends)
        axes.set_ylim(*ends)
        axes.set_aspect("equal")
        axes.set_xlabel("us, measured")
        axes.set_ylabel("us, predicted")
        axes.legend(frameon=False, fontsize=8)
