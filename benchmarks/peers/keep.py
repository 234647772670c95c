#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keep the document of a comparison with peers for its page, a line for each cell.

Usage: keep.py PEERS.json KEPT.json. benchmarks/pages.py writes the page.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def kept(document: Mapping[str, Any]) -> str:
    """Return the document with a line for each member, and for each cell."""
    members = []
    for name, value in document.items():
        text = json.dumps(value, ensure_ascii=False)
        if name == "cells":
            text = "[\n" + ",\n".join(f"  {json.dumps(cell)}" for cell in value) + "\n ]"
        members.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(members) + "\n}\n"


if __name__ == "__main__":
    found = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(sys.argv[2]).write_text(kept(found), encoding="utf-8")
