# SPDX-License-Identifier: Apache-2.0
"""Check that every text file contains only ASCII characters.

Usage: check_ascii.py [root]. Prints one line per offending line; exit code 1 if there is any.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BINARY_SUFFIXES = {".png", ".jpg", ".pdf", ".ico", ".woff2", ".gz", ".so", ".pyc"}
SKIPPED_FOLDERS = {".git", ".venv", "build", "node_modules"}


def files(root: Path) -> Iterator[Path]:
    """Yield the files below a root, without build results and caches."""
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(
            name
            for name in subfolders
            if name not in SKIPPED_FOLDERS and not name.endswith("cache") and name != "__pycache__"
        )
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix not in BINARY_SUFFIXES and path.is_file():
                yield path


def check(root: Path) -> list[str]:
    """Return a line `file:line: what is wrong` for each line that is not ASCII."""
    problems = []
    for path in files(root):
        content = path.read_bytes()
        if content.isascii():
            continue
        for number, line in enumerate(content.split(b"\n"), 1):
            if not line.isascii():
                text = line.decode("utf-8", errors="replace")
                found = " ".join(sorted({f"U+{ord(c):04X}" for c in text if not c.isascii()}))
                problems.append(f"{path.relative_to(root)}:{number}: not ASCII: {found}")
    return problems


def main() -> int:
    """Check the tree given as argument, by default the one this script is in."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    problems = check(root)
    print("\n".join(problems) or "ascii: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
