# SPDX-License-Identifier: Apache-2.0
"""Draw every figure of the documents from the data that are kept, for the site.

Usage: site_figures.py FOLDER, which becomes like the root: FOLDER/docs/benchmarks/figures/...
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "benchmarks")]

import pages  # type: ignore[import-not-found]  # noqa: E402

import model_figures  # noqa: E402
from espalier.cli import main as espalier  # noqa: E402

# What the page of mapping shows: `espalier map` draws it.
_GRID = ("--grid", "16x12", "--machine", "8n x 2s x 12c", "--placement", "block")


def draw(folder: Path) -> None:
    """Draw all figures into folders below one."""
    places = ("benchmarks", "explanation/mapping", "explanation/models")
    benchmarks, mapping, models = (folder / "docs" / place / "figures" for place in places)
    for place in (benchmarks, mapping, models):
        place.mkdir(parents=True, exist_ok=True)
    pages.draw(benchmarks)
    model_figures.draw(models)
    code = espalier(["map", *_GRID, "--json", "--draw", str(mapping / "grid.svg")])
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
