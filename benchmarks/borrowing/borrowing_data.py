# SPDX-License-Identifier: Apache-2.0
"""What is kept of the study of borrowing: times of all choices that were simulated, by cell."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FILE = "borrowing.json"


def read(path: Path) -> list[dict[str, Any]]:
    """Return the cells in a file; none if there is no file yet.

    A cell has `num_nodes`, `num_cores` (of a node), `collective`, `bytes`, `native_us` by peer,
    and for each choice its `us`, what the model predicted (`model_us`), and whether it is `lent`: a
    tuning of the shape would not look at it. `best_model_us` is the least that the model predicts.
    """
    if not path.exists():
        return []
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells


def write(cells: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write all cells, a line each."""
    lines = ",\n".join(f"  {json.dumps(cell)}" for cell in cells)
    path.write_text(f'{{"cells": [\n{lines}\n]}}\n', encoding="utf-8")
