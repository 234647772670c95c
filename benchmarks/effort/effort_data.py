# SPDX-License-Identifier: Apache-2.0
"""What is kept of the study of efforts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

FILE = "effort.json"


def read(folder: Path) -> dict[str, Any]:
    """Return the document in a folder; an empty one if there is none yet.

    `simulated` has a row for each platform, placement, call and size with `native_us`, the `us` of
    all candidates, and what the model `predicted`, in seconds; `mistaken` is what it predicts of a
    machine with wrong costs. `real` has, for each effort, the `seconds` that `espalier tune` took
    and its `points`: the times of what was measured, and what was chosen.
    """
    path = folder / FILE
    if not path.exists():
        return {"simulated": [], "real": {}}
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def write(document: dict[str, Any], folder: Path) -> None:
    """Write it, with a line for each row."""
    rows = ",\n".join(f"  {json.dumps(row)}" for row in document["simulated"])
    real = ",\n".join(
        f'  "{effort}": {json.dumps(found)}' for effort, found in document["real"].items()
    )
    text = f'{{"simulated": [\n{rows}\n],\n"real": {{\n{real}\n}}}}\n'
    (folder / FILE).write_text(text, encoding="utf-8")
