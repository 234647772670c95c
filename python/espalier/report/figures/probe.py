# SPDX-License-Identifier: Apache-2.0
"""The figures of `espalier probe --figures`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.errors import FileError
from espalier.probing.outcome import matrix_of
from espalier.report.figures.heat_map import draw_heat_map
from espalier.report.figures.regression import draw_pairs, draw_regression, series

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LEAST_POINTS = 3


def draw(document: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw what an `espalier-probe` document has the data for, and return the files.

    Raises:
        FileError: the folder or a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"{folder}: expected a folder for figures, got '{error.strerror}'",
            "choose another with --figures",
        ) from error
    drawn = [folder / "round-trips.svg"]
    objects = [level["object_of_rank"] for level in document["levels"]]
    draw_heat_map(matrix_of(document), objects, drawn[0])
    for level in document["levels"]:
        sizes = [row for row in level["latency_table"] if row["bytes"] > 0]
        if level["fit"] is not None and len(sizes) >= _LEAST_POINTS:
            drawn.append(folder / f"fit-{level['name']}.svg")
            draw_regression(level, drawn[-1])
        if series(level):
            drawn.append(folder / f"pairs-{level['name']}.svg")
            draw_pairs(level, drawn[-1])
    return drawn
