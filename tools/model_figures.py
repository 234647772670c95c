# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/explanation/models, drawn from the validations kept in its folder data."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from espalier.report.figures.canvas import canvas
from espalier.report.figures.prediction import Pair, draw_prediction, pairs_of

MODELS = Path(__file__).parents[1] / "docs" / "explanation" / "models"
DATA = {
    "simulated, 4 nodes x 4 cores": "simulated.json",
    "measured, 4 ranks on 2 cores": "this_machine.json",
}
# Page: (model, candidates).
FIGURES = {
    "hockney": ("hockney", ["allgather/ring", "allgather/recursive_doubling", "allgather/bruck*"]),
    "levels": ("levels", ["allgather/ring", "allgather/recursive_doubling", "allgather/bruck*"]),
    "loggp": ("replay", ["bcast/k_nomial*", "bcast/k_ary*", "bcast/flat"]),
    "exchange": ("replay", ["alltoall/bruck*"]),
    "binomial": ("replay", ["scatter/binomial", "scatter/k_nomial*"]),
    "pipeline": ("replay", ["bcast/chain*"]),
    "replay": ("replay", ["*"]),
}
# [karlsson2012], tables 5.2 to 5.4: tile against strip, mean measured gain of the five operations,
# beside the bound (k + 1) / (k1 + k2).
TILING = {
    "4 cores, 2 x 2": (1.25, [1.28, 1.24, 1.42, 1.35, 1.42]),
    "8 cores, 2 x 4": (1.5, [1.10, 1.24, 1.13, 1.70, 1.52]),
    "12 cores, 3 x 4": (13 / 7, [1.64, 1.40, 1.68, 1.75, 1.76]),
}


def _documents() -> dict[str, dict[str, Any]]:
    return {
        name: json.loads((MODELS / "data" / file).read_text(encoding="utf-8"))
        for name, file in DATA.items()
    }


def draw(folder: Path) -> None:
    """Draw all figures into a folder."""
    documents = _documents()
    for page, (model, patterns) in FIGURES.items():
        series = [(name, pairs_of(found, model, patterns)) for name, found in documents.items()]
        kept = [(name, pairs) for name, pairs in series if pairs]
        draw_prediction(f"{model}: predicted against measured", kept, folder / f"{page}.svg")
    gains = [
        (name, [Pair(gain, bound) for gain in measured])
        for name, (bound, measured) in TILING.items()
    ]
    _draw_tiling(gains, folder / "tiling.svg")


def _draw_tiling(gains: list[tuple[str, list[Pair]]], path: Path) -> None:
    with canvas(path, "Gain of tiles over strips: bound and published measurements") as axes:
        for number, (name, pairs) in enumerate(gains):
            axes.plot([number] * len(pairs), [pair.measured_us for pair in pairs], "o", color="C0")
            bound = pairs[0].predicted_us
            axes.plot([number - 0.3, number + 0.3], [bound, bound], color="C1")
            axes.annotate(name, (number, 0.92), ha="center", fontsize=8)
        axes.set_ylim(0.85, 2)
        axes.set_xticks([])
        axes.set_ylabel("times faster (points: measured, line: bound)")
